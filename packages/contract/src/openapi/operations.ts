import type { z } from 'zod';
import * as request from '../requests.ts';
import { COST_MAX } from '../sets.ts';
import * as answer from '../wire.ts';
import { EXAMPLES } from './examples.ts';
import { errors, forwardAuthResponses, json } from './responses.ts';
import { parameterSchema, ref } from './schemas.ts';

const PROJECT = '/rt/projects/{projectId}';
const NO_SECRET = { security: [] };
/** What can go wrong with every route of a project. */
const COMMON = [
  'invalid_request',
  'unauthorized',
  'headers_too_large',
  'internal',
  'unavailable',
] as const;
const WITH_BODY = [...COMMON, 'payload_too_large', 'unsupported_media_type'] as const;

const idParameter = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: parameterSchema(answer.uuidSchema),
});
const KEY_ID = [idParameter('apiKeyId', 'The key.')];

const body = (schema: z.ZodType, example: unknown, required = true) => ({
  requestBody: {
    required,
    content: {
      'application/json': { schema: ref(schema), examples: { example: { value: example } } },
    },
  },
});

const VERDICTS = { allow: EXAMPLES.allow, denial: EXAMPLES.denial, limited: EXAMPLES.limited };

const decisions = {
  [`${PROJECT}/authorize`]: {
    post: {
      operationId: 'authorize',
      tags: ['Decisions'],
      summary: 'Ask whether one request may proceed',
      description:
        'An allow and a denial are both a 200: the verdict is in `allowed`, not in the status. Anything but a 200 of this shape is not an allow.',
      ...body(request.authorizeRequestSchema, EXAMPLES.question),
      responses: {
        '200': json('The decision.', answer.decisionSchema, VERDICTS),
        ...errors(...WITH_BODY),
      },
    },
  },
  [`${PROJECT}/authorize/batch`]: {
    post: {
      operationId: 'authorizeBatch',
      tags: ['Decisions'],
      summary: 'Ask about up to 256 requests',
      description: 'Each request is judged and charged by itself, in order, as by `authorize`.',
      ...body(request.authorizeBatchRequestSchema, EXAMPLES.batch),
      responses: {
        '200': json('One result per request.', answer.authorizeBatchResultSchema, {
          results: EXAMPLES.results,
        }),
        ...errors(...WITH_BODY),
      },
    },
  },
  [`${PROJECT}/forward-auth`]: forwardAuth(),
};

/** One operation per method: a gateway may ask with its caller's. */
function forwardAuth(): Record<string, object> {
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  const parameters = [
    header('X-Original-Method', 'The method of the caller’s request.'),
    header('X-Original-URI', 'Its target, as the gateway received it.'),
    header('X-Forwarded-Method', 'The other spelling of the pair above.'),
    header('X-Forwarded-Uri', 'The other spelling of the pair above.'),
    {
      name: 'limits',
      in: 'query',
      description:
        'Answers a used-up limit with 403, for gateways that know only 2xx, 401 and 403.',
      schema: { type: 'string', enum: ['403'] },
    },
    {
      name: 'cost',
      in: 'query',
      description:
        'What the call takes of quotas, in place of the cost of its policy. Only of the gateway’s own address: its caller must not set it.',
      schema: { type: 'integer', minimum: 0, maximum: COST_MAX },
    },
  ];
  const operation = (method: string) => ({
    operationId: `forwardAuth${method[0]?.toUpperCase()}${method.slice(1)}`,
    tags: ['Decisions'],
    summary: `Ask for a gateway, with ${method.toUpperCase()}`,
    description:
      'The verdict is in the status. The caller’s key is in `Authorization: Bearer` or `x-api-key`; the request is named by one pair of headers, or follows the address: `…/forward-auth/v1/reports/42`. No body is read.',
    security: [
      { projectSecret: [] },
      { projectSecret: [], callerBearer: [] },
      { projectSecret: [], callerKey: [] },
    ],
    parameters,
    responses: forwardAuthResponses(method),
  });
  return Object.fromEntries(methods.map((method) => [method, operation(method)]));
}

const keys = {
  [`${PROJECT}/api-keys`]: {
    get: {
      operationId: 'listApiKeys',
      tags: ['Keys'],
      summary: 'List all keys',
      description: 'Newest first, including revoked and archived keys. The list has no pages.',
      responses: {
        '200': json('The keys.', answer.apiKeyListResultSchema, { keys: EXAMPLES.apiKeys }),
        ...errors(...COMMON),
      },
    },
    post: {
      operationId: 'createApiKey',
      tags: ['Keys'],
      summary: 'Create a key',
      description: 'Only this answer contains the plaintext, and it cannot be retrieved again.',
      ...body(request.createApiKeyRequestSchema, { displayName: 'Mobile app' }),
      responses: {
        '200': json('The new key.', answer.apiKeyCreateResultSchema, { created: EXAMPLES.created }),
        ...errors(...WITH_BODY, 'plan_limit_reached'),
      },
    },
  },
  [`${PROJECT}/api-keys/{apiKeyId}`]: {
    parameters: KEY_ID,
    get: {
      operationId: 'getApiKey',
      tags: ['Keys'],
      summary: 'Read one key',
      description: 'A key of another project is answered like one that does not exist.',
      responses: {
        '200': json('The key.', answer.apiKeySummarySchema, { key: EXAMPLES.apiKey }),
        ...errors(...COMMON, 'not_found'),
      },
    },
    patch: {
      operationId: 'setApiKeyExpiry',
      tags: ['Keys'],
      summary: 'Set or remove the expiry of a key',
      description: 'Only of an active key. A time in the past expires it at once.',
      ...body(request.setApiKeyExpiryRequestSchema, { expiresAt: '2027-01-31T12:00:00Z' }),
      responses: {
        '200': json('The key.', answer.apiKeySummarySchema, {
          key: { ...EXAMPLES.apiKey, expiresAt: '2027-01-31T12:00:00.000Z' },
        }),
        ...errors(...WITH_BODY, 'not_found', 'conflict'),
      },
    },
  },
  [`${PROJECT}/api-keys/{apiKeyId}/revoke`]: transition('revoke', EXAMPLES.revoked),
  [`${PROJECT}/api-keys/{apiKeyId}/archive`]: transition('archive', EXAMPLES.archived),
};

function transition(verb: 'revoke' | 'archive', example: object): object {
  const other = verb === 'revoke' ? 'an archived' : 'a revoked';
  return {
    parameters: KEY_ID,
    post: {
      operationId: `${verb}ApiKey`,
      tags: ['Keys'],
      summary: verb === 'revoke' ? 'Revoke a key' : 'Archive a key',
      description: `From the next decision on, and it cannot be undone. May be repeated; ${other} key is a conflict.`,
      ...body(request.emptyRequestSchema, {}, false),
      responses: {
        '200': json('The status of the key.', answer.apiKeyLifecycleResultSchema, {
          done: example,
        }),
        ...errors(...WITH_BODY, 'not_found', 'conflict'),
      },
    },
  };
}

/** What each parameter of the log selects. */
const FILTERS: Record<keyof typeof request.decisionQuerySchema.shape, string> = {
  outcome: 'Only allowed or only denied ones.',
  reason: 'Only denials for this reason.',
  apiKeyId: 'Only decisions about this key.',
  method: 'Exactly this method.',
  pathPrefix: 'The beginning of the path, in the same letter case.',
  requestId: 'Exactly this id of a call.',
  from: 'The first instant, inclusive.',
  to: 'The last instant, exclusive.',
  limit: 'How many, 1 to 500; 50 by default.',
  cursor: 'The `nextCursor` of the previous page.',
};

/** Its schema reads the digits of a query; a generated client passes a number. */
const PAGE_SIZE = {
  type: 'integer',
  minimum: 1,
  maximum: request.DECISION_PAGE_MAX,
  default: request.DECISION_PAGE_DEFAULT,
};

const log = {
  [`${PROJECT}/decisions`]: {
    get: {
      operationId: 'listDecisions',
      tags: ['Decision log'],
      summary: 'List recorded decisions',
      description:
        'Newest first. Each parameter narrows the list, and an empty one counts as absent.',
      parameters: Object.entries(FILTERS).map(([name, description]) => ({
        name,
        in: 'query',
        description,
        schema:
          name === 'limit'
            ? PAGE_SIZE
            : parameterSchema(request.decisionQuerySchema.shape[name as keyof typeof FILTERS]),
      })),
      responses: {
        '200': json('One page.', answer.decisionListResultSchema, { page: EXAMPLES.decisions }),
        ...errors(...COMMON),
      },
    },
  },
  [`${PROJECT}/decisions/{decisionId}`]: {
    parameters: [idParameter('decisionId', 'The decision.')],
    get: {
      operationId: 'getDecision',
      tags: ['Decision log'],
      summary: 'Read one recorded decision',
      description: 'A decision of another project is answered like one that does not exist.',
      responses: {
        '200': json('The decision.', answer.loggedDecisionSchema, { decision: EXAMPLES.logged }),
        ...errors(...COMMON, 'not_found'),
      },
    },
  },
};

const open = (operationId: string, summary: string, description: string, responses: object) => ({
  get: {
    operationId,
    tags: ['Health'],
    summary,
    description,
    ...NO_SECRET,
    responses: { ...responses, ...errors('invalid_request') },
  },
});

const health = {
  '/health': open('getHealth', 'Liveness', 'Touches no dependency.', {
    '200': json('The process answers.', answer.healthSchema, { healthy: EXAMPLES.healthy }),
  }),
  '/ready': open('getReadiness', 'Readiness', 'Asks each dependency.', {
    '200': json('Decisions can be made.', answer.runtimeReadinessSchema, { ready: EXAMPLES.ready }),
    '503': json('Decisions cannot be made.', answer.runtimeReadinessSchema, {
      notReady: EXAMPLES.notReady,
    }),
  }),
  '/version': open('getVersion', 'Version', 'Touches no dependency.', {
    '200': json('The build.', answer.runtimeVersionSchema, { version: EXAMPLES.version }),
  }),
  '/openapi.json': open('getOpenApi', 'This document', 'OpenAPI 3.1, of the build that answers.', {
    '200': {
      description: 'The document.',
      content: {
        'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.1' } },
      },
    },
  }),
};

const projectParameter = idParameter('projectId', 'The project, shown in the console.');

/** Every path of the Runtime. */
export const paths = Object.fromEntries(
  Object.entries<Record<string, unknown>>({
    ...decisions,
    ...keys,
    ...log,
    ...health,
  } as never).map(([path, item]) => {
    if (!path.startsWith(PROJECT)) return [path, item];
    const own = Array.isArray(item.parameters) ? item.parameters : [];
    return [path, { ...item, parameters: [projectParameter, ...own] }];
  }),
);
