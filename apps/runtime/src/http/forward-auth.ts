import { readCredential } from '@ceiba/contract/credential';
import { serveOne } from '../decision/serve.ts';
import { answerToDecision, type GatewayAnswer, noVerdict } from '../gateways/answer.ts';
import { costOf } from '../gateways/cost.ts';
import { type OriginalRequestReading, readOriginalRequest } from '../gateways/original-request.ts';
import { questionOf } from '../gateways/question.ts';
import type { HotRoute } from './hot-route.ts';
import { jsonReply, type Reply } from './replies.ts';

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

const restOf = (target = '') => splitForwardAuth(target)?.rest ?? '';

const NO_SETTINGS = new URLSearchParams();
/** What the gateway's own address says. Below the prefix, the query is its caller's. */
const settingsOf = (rest: string) =>
  rest.startsWith('?') ? new URLSearchParams(rest) : NO_SETTINGS;

/**
 * Some gateways append the query of their caller to an address of their own. Where that could be so,
 * the caller may have set the cost.
 */
function withoutQueryPassedOn(
  original: OriginalRequestReading,
  settings: URLSearchParams,
): OriginalRequestReading {
  if (original.kind === 'unclear' || !settings.has('cost')) return original;
  const [, query = ''] = original.request.target.split(/\?(.*)/s);
  const sent = new URLSearchParams(query);
  const isPassedOn = sent.has('cost') && `&${settings}`.endsWith(`&${sent}`);
  const problem = 'asks with the query of its caller, who would so set the cost';
  return isPassedOn ? { kind: 'unclear', problem } : original;
}

/**
 * The route of gateways: the verdict is in the status. Every mistake in a gateway's settings is a 503,
 * never the caller's 401.
 */
export const FORWARD: HotRoute = {
  path: '/rt/projects/{projectId}/forward-auth',
  kind: 'one',
  bodyCapBytes: 0,
  read({ method = '', rawHeaders, url }) {
    const rest = restOf(url);
    const own = rest.startsWith('/') ? { method, target: rest } : null;
    const original = readOriginalRequest(rawHeaders, own);
    const settings = settingsOf(rest);
    return questionOf(
      readCredential(rawHeaders),
      withoutQueryPassedOn(original, settings),
      costOf(settings.getAll('cost'), 'the query of its address'),
    );
  },
  async answer(room, call, { url }) {
    const answer = answerToDecision(call.projectId, await serveOne(room, call));
    return replyOf(answer, call.requestId, limitStatusOf(restOf(url)));
  },
  refuse: (error, requestId, errors) => replyOf(noVerdict(error, requestId, errors), requestId),
};

function replyOf(
  { status, headers, body }: GatewayAnswer,
  requestId: string,
  limitStatus = 429,
): Reply {
  const reply = jsonReply(status === 429 ? limitStatus : status, body, requestId);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Some gateways know only 2xx, 401 and 403, and make a 500 of the rest: `?limits=403` is for them. */
const limitStatusOf = (rest: string) => (settingsOf(rest).get('limits') === '403' ? 403 : 429);
