import type { ApiKeyStatus } from './sets.ts';

/**
 * What the Runtime says in a transport error, where the code alone decides it. The OpenAPI document
 * has the same texts as examples.
 */
export const ERROR_MESSAGES = {
  unauthorized: 'The project secret is missing or not valid for this project.',
  /** @param whose the plan, as the beginning of a sentence */
  plan_limit_reached: (activeKeyCap: number, whose = 'The plan') =>
    `${whose} allows ${activeKeyCap} active keys. Revoke or archive one, or move to a higher plan.`,
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
