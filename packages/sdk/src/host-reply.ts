import type {
  AccessOptions,
  DeniedOutcome,
  FailedOutcome,
  HostReply,
  HostReplyBody,
} from './access-options.ts';
import { ceibaErrorCodeForDenial, type HostReplyCode } from './errors.ts';
import { warn } from './warn.ts';

/** One text per code, so that the replies to all five 401 reasons are the same bytes. */
const MESSAGES: Readonly<Record<HostReplyCode, string>> = {
  service_unauthorized: 'A valid API key is required.',
  service_forbidden: 'This API key does not give access to this resource.',
  service_quota_exceeded: 'The monthly quota is used up.',
  service_rate_limited: 'Too many requests. Try again later.',
  service_unavailable: 'Access cannot be checked at the moment.',
};

type ReplyOptions = Pick<AccessOptions, 'exposeDenialReason' | 'customizeReply'>;

/**
 * The reply that turns a request away, by the contract's tables.
 *
 * @param limitHeaders `Retry-After` and the rate limit fields, where the outcome has any.
 */
export function replyTo(
  outcome: DeniedOutcome | FailedOutcome,
  limitHeaders: Readonly<Record<string, string>>,
  options: ReplyOptions,
): HostReply {
  const reply = {
    status: outcome.httpStatus,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...(outcome.httpStatus === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...limitHeaders,
    },
    body: bodyOf(outcome, options.exposeDenialReason === true),
  };
  return customized(reply, outcome, options);
}

function bodyOf(
  outcome: DeniedOutcome | FailedOutcome,
  exposeDenialReason: boolean,
): HostReplyBody {
  if (outcome.outcome === 'failed') {
    return { error: 'service_unavailable', message: MESSAGES.service_unavailable };
  }
  const { denialReason } = outcome;
  const error = ceibaErrorCodeForDenial(denialReason);
  const body = { error, message: MESSAGES[error] };
  return exposeDenialReason ? { ...body, denialReason } : body;
}

function customized(
  reply: HostReply<HostReplyBody>,
  outcome: DeniedOutcome | FailedOutcome,
  { customizeReply }: ReplyOptions,
): HostReply {
  try {
    const custom = customizeReply?.(reply, outcome);
    if (custom === undefined) return reply;
    return {
      status: reply.status,
      headers: mergeHeaders(reply.headers, custom.headers ?? {}),
      body: custom.body === undefined ? reply.body : custom.body,
    };
  } catch (error) {
    warn('customizeReply threw; the default reply was sent', error);
    return reply;
  }
}

/** Header names are compared without case, so that a replaced header is not sent twice. */
function mergeHeaders(
  base: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const replaced = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...extra };
}
