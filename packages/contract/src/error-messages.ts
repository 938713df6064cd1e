import type { ApiKeyStatus } from './sets.ts';

/** Whose plan has no place for a further key. */
const PLANS = { plan: 'plan', customer_plan: 'plan of the customer' } as const;

/** Why a key has no place: completes a sentence that begins with `the`. */
export const planAllows = ({
  activeKeyCap,
  of,
}: {
  activeKeyCap: number;
  of: keyof typeof PLANS;
}) => `${PLANS[of]} allows ${activeKeyCap} active ${activeKeyCap === 1 ? 'key' : 'keys'}`;

/**
 * What the Runtime says in a transport error, where the code alone decides it. The OpenAPI document
 * has the same texts as examples.
 */
export const ERROR_MESSAGES = {
  unauthorized: 'The project secret is missing or not valid for this project.',
  plan_limit_reached: (full: Parameters<typeof planAllows>[0]) =>
    `The ${planAllows(full)}. Revoke or archive one, or move to a higher plan.`,
  not_found: 'The project has no such key.',
  unknown_customer: 'The project has no such customer.',
  /** @param rule what the change breaks, as the beginning of a sentence */
  conflict: (rule: string, status: ApiKeyStatus) => `${rule}; this one is ${status}.`,
  payload_too_large: (capBytes: number) => `The body is over ${capBytes / 1024} KiB.`,
  unsupported_media_type: 'The body must be sent as application/json.',
  headers_too_large: 'The headers are too large.',
  internal: 'Something went wrong.',
  unavailable: 'The service cannot answer now. Try again shortly.',
} as const;
