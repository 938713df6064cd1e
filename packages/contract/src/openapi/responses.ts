import type { z } from 'zod';
import { ERROR_MESSAGES } from '../error-messages.ts';
import { HOST_REPLY_MESSAGES, type HostReplyCode } from '../host-replies.ts';
import { HTTP_STATUS_FOR_ERROR, IDENTITY_HEADERS, type RuntimeErrorCode } from '../sets.ts';
import { forwardAuthBodySchema, transportErrorSchema } from '../wire.ts';
import { errorExample } from './examples.ts';
import { ref } from './schemas.ts';

const text = { schema: { type: 'string' } };
const uuid = { schema: { type: 'string', format: 'uuid' } };

const REQUEST_ID = {
  'x-request-id': { description: 'The id of the call: yours if it is valid.', ...text },
};

/** When each error is sent, and an example of its message. */
const ERRORS: Record<RuntimeErrorCode, readonly [when: string, message: string]> = {
  invalid_request: [
    'A bad UUID, malformed JSON, or a wrong field or parameter, which the message names.',
    '"displayName" must not be empty.',
  ],
  unauthorized: [
    'The project secret is missing or not this project’s, or there is no such project.',
    ERROR_MESSAGES.unauthorized,
  ],
  plan_limit_reached: [
    'The plan of the project or of the customer allows no further active key.',
    ERROR_MESSAGES.plan_limit_reached({ activeKeyCap: 3, of: 'plan' }),
  ],
  not_found: ['The project has no such key, customer or decision.', ERROR_MESSAGES.not_found],
  conflict: [
    'The status of the key does not allow it, its secret is another one, the customer is another one already, or the creation was made before.',
    ERROR_MESSAGES.conflict('An archived key cannot be revoked', 'archived'),
  ],
  payload_too_large: ['The body is too large.', ERROR_MESSAGES.payload_too_large(64 * 1024)],
  unsupported_media_type: [
    'The body is not application/json.',
    ERROR_MESSAGES.unsupported_media_type,
  ],
  headers_too_large: ['The headers are over 16 KiB.', ERROR_MESSAGES.headers_too_large],
  internal: ['A bug. The log has the error under the request id.', ERROR_MESSAGES.internal],
  unavailable: [
    'A dependency failed or was too slow. A call that asks for a decision may have been charged.',
    ERROR_MESSAGES.unavailable,
  ],
};

const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The answers to errors, by status. */
export const errors = (...codes: RuntimeErrorCode[]): Record<string, object> =>
  Object.fromEntries(codes.map((code) => [String(HTTP_STATUS_FOR_ERROR[code]), shared(code)]));

/** An answer with a JSON body. */
export function json(
  description: string,
  schema: z.ZodType,
  values: Readonly<Record<string, unknown>>,
  headers: object = {},
): object {
  const examples = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value }]),
  );
  return {
    description,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: ref(schema), examples } },
  };
}

const VERDICT = {
  [IDENTITY_HEADERS.projectId]: { description: 'The project.', ...uuid },
  [IDENTITY_HEADERS.decisionId]: { description: 'The decision, in the log.', ...uuid },
};
const DENIAL = {
  ...VERDICT,
  [IDENTITY_HEADERS.denialReason]: {
    description: 'The reason, for the gateway: it must not reach the caller.',
    ...text,
  },
};
const ALLOW = {
  ...VERDICT,
  [IDENTITY_HEADERS.apiKeyId]: { description: 'The key, for the upstream.', ...uuid },
  [IDENTITY_HEADERS.customerId]: {
    description: 'The customer of the key; absent where it has none.',
    ...uuid,
  },
  [IDENTITY_HEADERS.customerExternalId]: {
    description: 'The owner’s own id of that customer, percent-encoded.',
    ...text,
  },
  [IDENTITY_HEADERS.policyId]: { description: 'The policy that matched.', ...uuid },
  [IDENTITY_HEADERS.planId]: { description: 'The plan.', ...uuid },
};
const LIMITS = {
  RateLimit: { description: 'What is left (draft-ietf-httpapi-ratelimit-headers-11).', ...text },
  'RateLimit-Policy': { description: 'The limits in force.', ...text },
};
const RETRY = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };
const CHALLENGE = { 'WWW-Authenticate': { description: 'Bearer.', ...text } };

function refusal(description: string, codes: readonly HostReplyCode[], headers: object): object {
  const bodies = codes.map((error) => [error, { error, message: HOST_REPLY_MESSAGES[error] }]);
  return json(description, forwardAuthBodySchema, Object.fromEntries(bodies), headers);
}

/** The answers to a gateway: the verdict is in the status. */
const FORWARD_AUTH: Record<string, object> = {
  '200': json(
    'The request may proceed, and was charged.',
    forwardAuthBodySchema,
    { allowed: { allowed: true } },
    { ...ALLOW, ...LIMITS },
  ),
  '401': refusal('No key, or one that is not valid.', ['service_unauthorized'], {
    ...DENIAL,
    ...CHALLENGE,
  }),
  '403': refusal(
    'No policy matches, the subscription is not active, or, with `limits=403`, a limit is used up.',
    ['service_forbidden', 'service_quota_exceeded', 'service_rate_limited'],
    { ...DENIAL, ...LIMITS, ...RETRY },
  ),
  '429': refusal('A limit is used up.', ['service_quota_exceeded', 'service_rate_limited'], {
    ...DENIAL,
    ...LIMITS,
    ...RETRY,
  }),
  '500': refusal('A bug: no verdict.', ['service_unavailable'], {}),
  '503': refusal(
    'No verdict: an outage, a missing or wrong project secret, or a `cost` that is not valid.',
    ['service_unavailable'],
    {},
  ),
};

/** The answers to a gateway, by status. HEAD has the same without bodies. */
export const forwardAuthResponses = (method: string): Record<string, object> => ({
  ...Object.fromEntries(
    Object.entries(FORWARD_AUTH).map(([status, response]) => [
      status,
      method === 'head' ? withoutBody(response) : shared(`forwardAuth${status}`),
    ]),
  ),
  // Before the method is read, so with a body for HEAD too.
  ...errors('headers_too_large'),
});

function withoutBody(response: object): object {
  const { content: _, ...rest } = response as Record<string, unknown>;
  return rest;
}

/** The answers that several routes share. */
export const sharedResponses: Record<string, object> = {
  ...Object.fromEntries(
    Object.entries(ERRORS).map(([code, [description, message]]) => [
      code,
      json(description, transportErrorSchema, { [code]: errorExample(code, message) }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(FORWARD_AUTH).map(([status, response]) => [`forwardAuth${status}`, response]),
  ),
};
