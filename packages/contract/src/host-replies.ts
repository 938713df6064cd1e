import type { HostErrorCode } from './sets.ts';

/**
 * The message of a reply that rejects a request, one per code, so that the replies to all five
 * reasons for a 401 are identical. `service_unavailable` means that there was no verdict.
 */
export const HOST_REPLY_MESSAGES = {
  service_unauthorized: 'A valid API key is required.',
  service_forbidden: 'This API key does not give access to this resource.',
  service_quota_exceeded: 'The quota is used up.',
  service_rate_limited: 'Too many requests. Try again later.',
  service_unavailable: 'Access cannot be checked at the moment.',
} as const satisfies Record<HostErrorCode | 'service_unavailable', string>;

export type HostReplyCode = keyof typeof HOST_REPLY_MESSAGES;
