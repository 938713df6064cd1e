import { z } from 'zod';
import {
  authorizeBatchRequestSchema,
  authorizeRequestSchema,
  createApiKeyRequestSchema,
  emptyRequestSchema,
  setApiKeyExpiryRequestSchema,
} from '../requests.ts';
import { HTTP_STATUS_FOR_ERROR, type RuntimeErrorCode } from '../sets.ts';
import {
  accessContextSchema,
  allowDecisionSchema,
  apiKeyCreateResultSchema,
  apiKeyLifecycleResultSchema,
  apiKeyListResultSchema,
  apiKeySummarySchema,
  authorizeBatchResultSchema,
  batchDecisionSchema,
  batchErrorSchema,
  decisionListResultSchema,
  decisionSchema,
  denyDecisionSchema,
  exceededLimitSchema,
  forwardAuthBodySchema,
  gatewayAllowSchema,
  hostReplySchema,
  limitsSchema,
  loggedDecisionSchema,
  matchedApiKeySchema,
  matchedPlanSchema,
  matchedPolicySchema,
  readinessChecksSchema,
  resetAfterSecondsSchema,
  runtimeReadinessSchema,
  runtimeVersionSchema,
  transportErrorSchema,
} from '../wire.ts';

const errorCodes = Object.keys(HTTP_STATUS_FOR_ERROR) as RuntimeErrorCode[];

/** Every named schema of the document, with its description. */
const NAMED = {
  AccessContext: [accessContextSchema, 'Which key, policy and plan matched.'],
  AllowDecision: [allowDecisionSchema, 'The request may proceed, and was charged.'],
  ApiKey: [apiKeySummarySchema, 'A key, without its plaintext.'],
  ApiKeyCreateResult: [apiKeyCreateResultSchema, 'A new key: the only answer with its plaintext.'],
  ApiKeyLifecycleResult: [apiKeyLifecycleResultSchema, 'The status that the key now has.'],
  ApiKeyList: [apiKeyListResultSchema, 'All keys, newest first, revoked and archived ones too.'],
  AuthorizeBatchRequest: [
    authorizeBatchRequestSchema,
    'Each request is an AuthorizeRequest; one that is not is answered with 400 by itself.',
  ],
  AuthorizeBatchResult: [authorizeBatchResultSchema, 'One result per request, in their order.'],
  AuthorizeRequest: [
    authorizeRequestSchema,
    'The caller’s credential, unchecked or null, and its request line without the query.',
  ],
  BatchDecision: [batchDecisionSchema, 'The answer to one request of a batch.'],
  BatchError: [batchErrorSchema, 'One request of a batch is not valid, or could not be decided.'],
  CreateApiKeyRequest: [
    createApiKeyRequestSchema,
    'A label of 1 to 100 characters, none of them a control character.',
  ],
  Decision: [decisionSchema, 'An allow or a denial: the verdict is in `allowed`.'],
  DecisionList: [decisionListResultSchema, 'One page; `nextCursor` is null on the last one.'],
  DenyDecision: [denyDecisionSchema, 'The request must not proceed; nothing was charged.'],
  EmptyRequest: [emptyRequestSchema, 'An empty object.'],
  Error: [
    transportErrorSchema.extend({ error: z.enum(errorCodes) }),
    'An error; a 500 or 503 gives no details.',
  ],
  ExceededLimit: [exceededLimitSchema, 'The limit that refused a call.'],
  ForwardAuthAnswer: [forwardAuthBodySchema, 'What a gateway may pass on to its caller.'],
  GatewayAllow: [gatewayAllowSchema, 'The request may proceed.'],
  Health: [z.strictObject({ ok: z.literal(true) }), 'The process accepts connections.'],
  HostReply: [hostReplySchema, 'The reply of a host that refuses a request.'],
  Limits: [limitsSchema, 'For the minute and the month, the counter with the least left.'],
  LoggedDecision: [loggedDecisionSchema, 'A decision of the log.'],
  MatchedApiKey: [matchedApiKeySchema, 'The key of the caller.'],
  MatchedPlan: [matchedPlanSchema, 'The plan of the project’s subscription.'],
  MatchedPolicy: [matchedPolicySchema, 'The policy that allows the request.'],
  Readiness: [runtimeReadinessSchema, 'Whether decisions can be made, and what is unavailable.'],
  ReadinessChecks: [readinessChecksSchema, 'The state of each dependency.'],
  ResetAfterSeconds: [resetAfterSecondsSchema, 'Seconds until the UTC minute and month end.'],
  SetApiKeyExpiryRequest: [
    setApiKeyExpiryRequestSchema,
    'An RFC 3339 time with Z or an offset; null removes the expiry.',
  ],
  Version: [runtimeVersionSchema, 'The commit, and the newest migration that the build expects.'],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

export type SchemaName = keyof typeof NAMED;

export const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas as JSON Schema 2020-12, which OpenAPI 3.1 uses. Named ones refer to each other. */
export function componentSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, [schema]] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => ref(id as SchemaName).$ref,
    io: 'input',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(NAMED).map(([name, [, description]]) => {
      const { $schema: _, $id: __, ...schema } = schemas[name] as Record<string, unknown>;
      return [name, { description, ...schema }];
    }),
  );
}

/** A parameter's schema, from the same zod schema that reads it. */
export function parameterSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return rest;
}

/** Formats say more to a reader than the patterns and the bound that zod adds to them. */
function simplify(schema: Record<string, unknown>): void {
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
