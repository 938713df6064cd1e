import { HOST_REPLY_MESSAGES } from '@ceiba/contract/host-replies';
import type {
  AccessOptions,
  CustomReply,
  DeniedOutcome,
  FailedOutcome,
  HostReply,
  HostReplyBody,
} from './access-options.ts';
import { ceibaErrorCodeForDenial } from './errors.ts';
import { warn } from './warn.ts';

type ReplyOptions = Pick<AccessOptions, 'exposeDenialReason' | 'customizeReply'>;
type Turned = DeniedOutcome | FailedOutcome;

/** A reply that an adapter can send: the body is JSON text, and the headers are valid. */
export type ReadyReply = HostReply<string>;

/**
 * The reply that rejects a request, from the contract's tables.
 *
 * @param limitHeaders `Retry-After` and the rate limit fields, if the outcome has any.
 */
export function replyTo(
  outcome: Turned,
  limitHeaders: Readonly<Record<string, string>>,
  { exposeDenialReason, customizeReply }: ReplyOptions,
): ReadyReply {
  const reply = {
    status: outcome.httpStatus,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...(outcome.httpStatus === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...limitHeaders,
    },
    body: bodyOf(outcome, exposeDenialReason === true),
  };
  try {
    const custom = customizeReply?.(reply, outcome);
    if (custom !== undefined) return ready(customized(reply, custom));
  } catch (error) {
    warn('customizeReply failed; the default reply was sent', error);
  }
  return ready(reply);
}

function bodyOf(outcome: Turned, exposeDenialReason: boolean): HostReplyBody {
  if (outcome.outcome === 'failed') {
    return { error: 'service_unavailable', message: HOST_REPLY_MESSAGES.service_unavailable };
  }
  const { denialReason } = outcome;
  const error = ceibaErrorCodeForDenial(denialReason);
  const body = { error, message: HOST_REPLY_MESSAGES[error] };
  return exposeDenialReason ? { ...body, denialReason } : body;
}

/** @throws {TypeError} when a header of the host is invalid. */
function customized(reply: HostReply, { headers = {}, body = reply.body }: CustomReply): HostReply {
  // A header without a value is left out, as one of the host's own JavaScript may be.
  const own = Object.entries(headers).filter(([, value]) => value !== undefined);
  const extra = new Headers(own);
  const kept = Object.entries(reply.headers).filter(([name]) => !extra.has(name));
  return { status: reply.status, headers: Object.fromEntries([...kept, ...own]), body };
}

/** @throws {TypeError} when a body of the host cannot be written as JSON. */
function ready({ body, ...reply }: HostReply): ReadyReply {
  return { ...reply, body: JSON.stringify(body) };
}
