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
  const header = (name: string, description: string, example?: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
    ...(example && { example }),
  });
  const parameters = [
    header('X-Original-Method', 'The method of the caller’s request.', 'GET'),
    header('X-Original-URI', 'Its target, as the gateway received it.', '/v1/reports/42?page=2'),
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

/** The page and the order of a list; its schema reads the digits of a query, a generated client passes a number. */
const PAGE_SIZE = {
  type: 'integer',
  minimum: 1,
  maximum: request.PAGE_MAX,
  default: request.PAGE_DEFAULT,
};
const PAGE = {
  limit: 'How many, 1 to 500; 50 by default.',
  cursor: 'The `nextCursor` of the previous page.',
};

/** The parameters of a query, with what each of them selects. */
const query = <Shape extends Readonly<Record<string, z.ZodType>>>(
  { shape }: { shape: Shape },
  selects: Readonly<Record<keyof Shape, string>>,
) => ({
  parameters: Object.entries(shape).map(([name, schema]) => ({
    name,
    in: 'query',
    description: selects[name],
    schema: name === 'limit' ? PAGE_SIZE : parameterSchema(schema),
  })),
});

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Names the creation for 24 hours, so that it can be repeated.',
  schema: parameterSchema(request.idempotencyKeySchema),
};

const keys = {
  [`${PROJECT}/api-keys`]: {
    get: {
      operationId: 'listApiKeys',
      tags: ['Keys'],
      summary: 'List keys',
      description:
        'Newest first, including revoked and archived keys. Without parameters all keys at once; with any of them one page of those that it selects. An empty parameter counts as absent. `metadata.<name>`, of which there may be several and none empty, selects the keys whose metadata has this text at its top level.',
      ...query(request.apiKeyQuerySchema, {
        customerId: 'Only keys of this customer.',
        status: 'Only keys of this status.',
        search:
          'Part of the name in either letter case, the first characters of the prefix, or the id.',
        ...PAGE,
      }),
      responses: {
        '200': json('The keys.', answer.apiKeyListResultSchema, {
          keys: EXAMPLES.apiKeys,
          page: { ...EXAMPLES.apiKeys, nextCursor: null },
        }),
        ...errors(...COMMON),
      },
    },
    post: {
      operationId: 'createApiKey',
      tags: ['Keys'],
      summary: 'Create a key',
      description:
        'Only this answer contains the plaintext, and it cannot be retrieved again. Of `customerId` and `externalCustomerId` at most one may be given. With an `Idempotency-Key`, a repeated call makes no second key: within 24 hours it is a conflict, with the `apiKeyId` of the key that the first call has made.',
      parameters: [IDEMPOTENCY_KEY],
      ...body(request.createApiKeyRequestSchema, { displayName: 'Mobile app' }),
      responses: {
        '200': json('The new key.', answer.apiKeyCreateResultSchema, { created: EXAMPLES.created }),
        ...errors(...WITH_BODY, 'plan_limit_reached', 'not_found', 'conflict'),
      },
    },
  },
  [`${PROJECT}/api-keys/batch`]: {
    post: {
      operationId: 'createApiKeys',
      tags: ['Keys'],
      summary: `Create up to ${request.CREATED_KEYS_MAX} keys`,
      description:
        'Each key is created, or refused, by itself, in order, as by `createApiKey`. Takes no `Idempotency-Key`.',
      ...body(request.createApiKeysRequestSchema, {
        apiKeys: [{ displayName: 'Mobile app' }, { displayName: '' }],
      }),
      responses: {
        '200': json('One result per key.', answer.apiKeysCreateResultSchema, {
          results: EXAMPLES.createdSeveral,
        }),
        ...errors(...WITH_BODY),
      },
    },
  },
  [`${PROJECT}/api-keys/import`]: {
    post: {
      operationId: 'importApiKeys',
      tags: ['Keys'],
      summary: `Import up to ${request.IMPORTED_KEYS_MAX} keys of another issuer`,
      description:
        'Takes SHA-256 of their secrets, which callers go on presenting. Each key is imported, or refused, by itself. One whose digest the project has already is answered with the id of its key and left as it is, so that a run can be repeated. The body may have 5 MiB.',
      ...body(request.importApiKeysRequestSchema, { apiKeys: [EXAMPLES.toImport] }),
      responses: {
        '200': json('One result per key.', answer.apiKeysImportResultSchema, {
          results: EXAMPLES.imported,
        }),
        ...errors(...WITH_BODY),
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
      operationId: 'updateApiKey',
      tags: ['Keys'],
      summary: 'Change a key, or move it to another customer',
      description:
        'Only an active key, from the next decision on. What is absent stays; an expiry in the past expires the key at once.',
      ...body(request.updateApiKeyRequestSchema, { expiresAt: '2027-01-31T12:00:00Z' }),
      responses: {
        '200': json('The key.', answer.apiKeySummarySchema, {
          key: { ...EXAMPLES.apiKey, expiresAt: '2027-01-31T12:00:00.000Z' },
        }),
        ...errors(...WITH_BODY, 'plan_limit_reached', 'not_found', 'conflict'),
      },
    },
  },
  [`${PROJECT}/api-keys/{apiKeyId}/rotate`]: {
    parameters: KEY_ID,
    post: {
      operationId: 'rotateApiKey',
      tags: ['Keys'],
      summary: 'Replace the secret of a key',
      description:
        'The key keeps its id, limits, counters, customer, scopes and history. Only this answer contains the new secret. The replaced one is valid for the overlap, never past the expiry of the key. A conflict for a key that is not active or has expired, for another `keyPrefix` than that of its secret, and, without `confirm`, within the overlap of a rotation before.',
      ...body(request.rotateApiKeyRequestSchema, {
        keyPrefix: 'ceiba_a3QtUwNA',
        overlapSeconds: 86_400,
      }),
      responses: {
        '200': json('The new secret.', answer.apiKeyRotateResultSchema, {
          rotated: EXAMPLES.rotated,
        }),
        ...errors(...WITH_BODY, 'not_found', 'conflict'),
      },
    },
  },
  [`${PROJECT}/api-keys/{apiKeyId}/end-previous-secret`]: {
    parameters: KEY_ID,
    post: {
      operationId: 'endPreviousSecret',
      tags: ['Keys'],
      summary: 'End the secret that a rotation has replaced',
      description:
        'From the next decision on, before its overlap is over. May be repeated; a key that is not active is a conflict, and so is one whose replaced secret is another than that of `keyPrefix`.',
      ...body(request.endPreviousSecretRequestSchema, {}, false),
      responses: {
        '200': json('The key.', answer.apiKeySummarySchema, { key: EXAMPLES.apiKey }),
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

const CUSTOMER_ID = [idParameter('customerId', 'The customer.')];
const CUSTOMER = {
  '200': json('The customer.', answer.customerSchema, { customer: EXAMPLES.customer }),
};

const customers = {
  [`${PROJECT}/customers`]: {
    get: {
      operationId: 'listCustomers',
      tags: ['Customers'],
      summary: 'List customers',
      description:
        'Newest first. Each parameter narrows the list, and an empty one counts as absent.',
      ...query(request.customerQuerySchema, {
        externalId: 'Exactly this external id.',
        status: 'Only those that are suspended, or that are not.',
        search: 'Part of the external id or the name, in either letter case.',
        ...PAGE,
      }),
      responses: {
        '200': json('One page.', answer.customerListResultSchema, { page: EXAMPLES.customers }),
        ...errors(...COMMON),
      },
    },
    post: {
      operationId: 'createCustomer',
      tags: ['Customers'],
      summary: 'Create a customer, or find it as it is',
      description:
        'Where the project has a customer of this external id, the other fields that are given are compared with its own: the answer is the customer as it is now, or a conflict that names the field.',
      ...body(request.createCustomerRequestSchema, { externalId: 'acme', plan: 'Gold' }),
      responses: { ...CUSTOMER, ...errors(...WITH_BODY, 'conflict') },
    },
  },
  [`${PROJECT}/customers/{customerId}`]: {
    parameters: CUSTOMER_ID,
    get: {
      operationId: 'getCustomer',
      tags: ['Customers'],
      summary: 'Read one customer',
      description: 'A customer of another project is answered like one that does not exist.',
      responses: { ...CUSTOMER, ...errors(...COMMON, 'not_found') },
    },
    patch: {
      operationId: 'updateCustomer',
      tags: ['Customers'],
      summary: 'Change a customer',
      description:
        'From the next decision of each of its keys on. What is absent stays; clearing the plan clears its status and its end. Another billing day begins the month of its quota again.',
      ...body(request.updateCustomerRequestSchema, { plan: 'Gold', monthlyQuota: 50_000 }),
      responses: { ...CUSTOMER, ...errors(...WITH_BODY, 'not_found', 'conflict') },
    },
  },
  [`${PROJECT}/customers/{customerId}/suspend`]: suspension('suspend'),
  [`${PROJECT}/customers/{customerId}/resume`]: suspension('resume'),
};

function suspension(verb: 'suspend' | 'resume'): object {
  return {
    parameters: CUSTOMER_ID,
    post: {
      operationId: `${verb}Customer`,
      tags: ['Customers'],
      summary: verb === 'suspend' ? 'Suspend a customer' : 'Resume a customer',
      description:
        verb === 'suspend'
          ? 'Each of its keys is denied from the next decision on, with `inactive_subscription`. May be repeated.'
          : 'Its keys are no longer denied for it, from the next decision on. May be repeated.',
      ...body(request.emptyRequestSchema, {}, false),
      responses: { ...CUSTOMER, ...errors(...WITH_BODY, 'not_found') },
    },
  };
}

const usageOf = (operationId: string, whose: string, schema: z.ZodType, example: object) => ({
  operationId,
  tags: ['Usage'],
  summary: `Read the usage of ${whose}`,
  description:
    'Without parameters, the days of the last 30. At most 400 days at once, or 1,830 in months of the project.',
  ...query(request.usageQuerySchema, {
    from: 'The first instant, inclusive; widened to whole steps.',
    to: 'The last instant, exclusive; now by default.',
    step: 'In UTC; `day` by default.',
  }),
  responses: {
    '200': json('The usage.', schema, { usage: example }),
    ...errors(...COMMON, ...(operationId === 'getUsage' ? [] : ['not_found' as const])),
  },
});

const usage = {
  [`${PROJECT}/usage`]: {
    get: usageOf('getUsage', 'the project', answer.usageResultSchema, EXAMPLES.usage),
  },
  [`${PROJECT}/api-keys/{apiKeyId}/usage`]: {
    parameters: KEY_ID,
    get: usageOf('getApiKeyUsage', 'a key', answer.usageResultSchema, EXAMPLES.usage),
  },
  [`${PROJECT}/customers/{customerId}/usage`]: {
    parameters: CUSTOMER_ID,
    get: usageOf(
      'getCustomerUsage',
      'a customer',
      answer.customerUsageResultSchema,
      EXAMPLES.customerUsage,
    ),
  },
};

const log = {
  [`${PROJECT}/decisions`]: {
    get: {
      operationId: 'listDecisions',
      tags: ['Decision log'],
      summary: 'List recorded decisions',
      description:
        'Newest first. Each parameter narrows the list, and an empty one counts as absent.',
      ...query(request.decisionQuerySchema, {
        outcome: 'Only allowed or only denied ones.',
        reason: 'Only denials for this reason.',
        apiKeyId: 'Only decisions about this key.',
        customerId: 'Only decisions about keys that this customer had then.',
        method: 'Exactly this method.',
        pathPrefix: 'The beginning of the path, in the same letter case.',
        requestId: 'Exactly this id of a call.',
        from: 'The first instant, inclusive.',
        to: 'The last instant, exclusive.',
        ...PAGE,
      }),
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
  '/postman.json': open(
    'getPostmanCollection',
    'This document, for Postman',
    'A collection of format 2.1.0, with one request for each route.',
    {
      '200': {
        description: 'The collection.',
        content: {
          'application/json': { schema: { type: 'object' }, example: { info: {}, item: [] } },
        },
      },
    },
  ),
};

const projectParameter = idParameter('projectId', 'The project, shown in the console.');

/** Every path of the Runtime. */
export const paths = Object.fromEntries(
  Object.entries<Record<string, unknown>>({
    ...decisions,
    ...keys,
    ...customers,
    ...usage,
    ...log,
    ...health,
  } as never).map(([path, item]) => {
    if (!path.startsWith(PROJECT)) return [path, item];
    const own = Array.isArray(item.parameters) ? item.parameters : [];
    return [path, { ...item, parameters: [projectParameter, ...own] }];
  }),
);
