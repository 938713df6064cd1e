import { readCredential } from '@ceiba/contract/credential';
import type { ErrorLog } from '../error-log.ts';
import { unauthorized } from '../errors.ts';
import { type GatewayAnswer, noVerdict } from '../gateways/answer.ts';
import { askForGateway } from '../gateways/ask.ts';
import { readOriginalRequest } from '../gateways/original-request.ts';
import { questionOf } from '../gateways/question.ts';
import type { IncomingCall } from './incoming-call.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';

const ADDRESS = /^\/rt\/projects\/([^/?#]+)\/forward-auth(?=[/?]|$)/;

/**
 * The parts of a request target that asks for a gateway: the project, and what follows the route.
 * That is empty, a query of the gateway's own, or the target of the original request. Null for any
 * other target.
 */
export function splitForwardAuth(target: string): { projectId: string; rest: string } | null {
  const [whole, projectId] = ADDRESS.exec(target) ?? [];
  if (whole === undefined || projectId === undefined) return null;
  return { projectId, rest: target.slice(whole.length) };
}

/**
 * Answers a gateway: the verdict is in the status.
 *
 * @throws TransportError `unauthorized` for a wrong secret and an unknown project; UnavailableError
 *   for any outage
 */
export async function answerForwardAuth(call: IncomingCall): Promise<Reply> {
  const { dependencies, incoming, asker, deadline, errors } = call;
  const { method = '', rawHeaders, url = '' } = incoming;
  const rest = splitForwardAuth(url)?.rest ?? '';
  const own = rest.startsWith('/') ? { method, target: rest } : null;
  const original = readOriginalRequest(rawHeaders, own);
  const question = questionOf(readCredential(rawHeaders), original);
  const answer = await askForGateway(dependencies, asker, question, deadline);
  if (answer === null) throw unauthorized();
  if (original.kind === 'unclear') errors.reportUnclearRequest(original.problem, asker.requestId);
  const limitStatus = own === null ? limitStatusOf(rest) : 429;
  return replyOf(answer, asker.requestId, limitStatus);
}

/** The reply to an error. Every mistake in the gateway's settings is a 503, never the caller's 401. */
export function refuseForwardAuth(error: unknown, requestId: string, errors: ErrorLog): Reply {
  const { status } = errorReply(error, requestId, errors);
  return replyOf(noVerdict(status === 500 ? 500 : 503), requestId);
}

function replyOf({ status, headers, body }: GatewayAnswer, requestId: string, limitStatus = 429) {
  const reply = jsonReply(status === 429 ? limitStatus : status, body, requestId);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Some gateways know only 2xx, 401 and 403, and make a 500 of the rest: `?limits=403` is for them. */
const limitStatusOf = (query: string) =>
  new URLSearchParams(query).get('limits') === '403' ? 403 : 429;
