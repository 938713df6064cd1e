import type { Credential } from '@ceiba/contract/credential';
import { headersForAllow, headersForLimitDenial } from '@ceiba/contract/rate-limit-headers';
import { COST_MAX } from '@ceiba/contract/sets';
import type { AccessEvent, AccessOptions } from './access-options.ts';
import {
  httpStatusForDenial,
  httpStatusForRuntimeTransport,
  RuntimeTransportError,
} from './errors.ts';
import { createFailureWarning } from './failure-warning.ts';
import { type ReadyReply, replyTo } from './host-reply.ts';
import type {
  AllowDecision,
  CeibaAccess,
  DenyDecision,
  RequestAccess,
  TraceContext,
} from './types.ts';
import { type AskedQuestion, askOnce } from './verdicts.ts';
import { warn } from './warn.ts';

/** One incoming request, as an adapter passes it to the guard. */
export interface IncomingQuestion {
  /** The objects that stand for the request: guards that share one ask once. */
  readonly carriers: readonly object[];
  /** The method that the caller sent; HEAD stays HEAD. */
  readonly method: string;
  /** The method that the router saw, if it can differ. */
  readonly routedMethod?: string | undefined;
  /** The request target as it was sent, with its query. */
  readonly target: string;
  readonly credential: Credential;
  /** The route parameters by name, if the router has run. */
  readonly parameters?: unknown;
  /** As the caller sent it. */
  readonly traceContext?: TraceContext | undefined;
  /** What {@link AccessOptions.cost} is asked about. */
  readonly request?: unknown;
}

/**
 * Allowed: the adapter runs the handler. Otherwise it sends the reply. Each half names the fields of the
 * other, because TypeScript does not narrow by `!verdict.allowed` where `strict` is off.
 */
export type Verdict = AllowedVerdict | ({ readonly reply: ReadyReply } & RejectedVerdict);

/** The request may proceed. */
export interface AllowedVerdict {
  readonly allowed: true;
  /** The key, policy and plan that matched. */
  readonly ceiba: CeibaAccess;
  /** The same under the name of the service contract, with `access` nested. */
  readonly access: RequestAccess;
  /** Rate limit fields, to be set on the handler's response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reply?: undefined;
  readonly response?: undefined;
}

/** The request must not proceed. */
export interface RejectedVerdict {
  readonly allowed: false;
  readonly ceiba?: undefined;
  readonly access?: undefined;
  readonly headers?: undefined;
}

/** Judges one request. Never rejects: every error becomes a reply that rejects the request. */
export type Guard = (question: IncomingQuestion) => Promise<Verdict>;

/**
 * Creates the guard that all adapters share. It asks the client and maps the answer with the
 * contract's tables.
 *
 * @throws {TypeError} when `projectId` is given and not the client's, or `cost` is a number that is not valid.
 */
export function createGuard(options: AccessOptions): Guard {
  const { client, projectId, onDecision, cost } = options;
  const warnOfFailure = createFailureWarning();
  if (projectId !== undefined && !isSameId(projectId, client.projectId)) {
    throw new TypeError(
      `projectId must be the project of the client, ${client.projectId}; leave it out to take that one`,
    );
  }
  if (typeof cost !== 'function') requireCost(cost);

  return async function judge(question) {
    const startedAt = performance.now();
    const path = pathOf(question.target);
    const { verdict, isReported, ...outcome } = await decide(question, path, options);
    if (outcome.outcome === 'failed') warnOfFailure(outcome.error);
    if (onDecision && !isReported) {
      const durationMs = performance.now() - startedAt;
      observe(onDecision, { ...outcome, method: question.method, path, durationMs });
    }
    return verdict;
  };
}

const isSameId = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();

/** The target without its query: everything before the first `?`. */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

async function decide(question: IncomingQuestion, path: string, options: AccessOptions) {
  const denial = deniedLocally(question);
  if (denial) return { ...deny(denial, options), isReported: false };
  let isReported = false;
  try {
    const asked = ask(question, path, options);
    isReported = isReportedTo(options.onDecision, asked);
    const decision = await asked.decision;
    const judged = decision.allowed === true ? allow(decision) : deny(decision, options);
    return { ...judged, isReported };
  } catch (error) {
    return { ...failClosed(error, options), isReported };
  }
}

/** Whether an earlier guard reports the answer to the same `onDecision`. */
function isReportedTo(onDecision: AccessOptions['onDecision'], { reportedTo }: AskedQuestion) {
  if (onDecision === undefined) return true;
  const isReported = reportedTo.has(onDecision);
  reportedTo.add(onDecision);
  return isReported;
}

/**
 * Denies what the Runtime cannot judge. Two different keys: it is unknown which customer sent the
 * request. An overridden method: the router would run a different handler than the judged one. An
 * empty parameter: `/v1/reports/` is judged as `/v1/reports`, but a router may match it to
 * `/v1/reports/:id` with an empty id.
 */
function deniedLocally({
  credential,
  method,
  routedMethod,
  parameters,
}: IncomingQuestion): DenyDecision | null {
  const denial = { allowed: false, decisionId: null } as const;
  if (credential.kind === 'conflicting') return { ...denial, denialReason: 'invalid_api_key' };
  const isOverridden = routedMethod !== undefined && routedMethod !== method;
  if (isOverridden || Object.entries(parameters ?? {}).some(isEmptyParameter)) {
    return { ...denial, denialReason: 'policy_no_match' };
  }
  return null;
}

/**
 * Validation may have replaced an empty string with null. The match of a wildcard (`*`, or `0` in
 * Express 4) may be empty: its handler then serves the path that the policy names.
 */
function isEmptyParameter([name, value]: [string, unknown]): boolean {
  return (value === '' || value === null) && !/^[*\d]/.test(name);
}

function ask(
  { carriers, credential, method, traceContext, request }: IncomingQuestion,
  path: string,
  { client, cost: own }: AccessOptions,
): AskedQuestion {
  const apiKey = credential.kind === 'key' ? credential.apiKey : null;
  const cost = typeof own === 'function' ? requireCost(own(request)) : own;
  const input = { apiKey, method, path, ...(cost === undefined ? {} : { cost }) };
  // A client of the host may throw instead of returning a promise that rejects.
  return askOnce(carriers, client, input, async () =>
    traceContext ? client.authorize(input, { traceContext }) : client.authorize(input),
  );
}

/** @throws {TypeError} where it is none. */
function requireCost(cost: number | undefined): number | undefined {
  const isCost = cost === undefined || (Number.isInteger(cost) && cost >= 0 && cost <= COST_MAX);
  if (isCost) return cost;
  throw new TypeError(`cost must be a whole number from 0 to ${COST_MAX}`);
}

function allow(decision: AllowDecision) {
  const { limits, decisionId } = decision;
  const access: RequestAccess = { access: decision.access, limits, decisionId };
  const ceiba: CeibaAccess = { ...decision.access, limits, decisionId };
  const verdict: Verdict = { allowed: true, ceiba, access, headers: headersForAllow(decision) };
  return { verdict, outcome: 'allowed', access } as const;
}

function deny(decision: DenyDecision, options: AccessOptions) {
  const { denialReason, decisionId } = decision;
  const httpStatus = httpStatusForDenial(denialReason);
  const outcome = { outcome: 'denied', denialReason, decisionId, httpStatus } as const;
  const reply = replyTo(outcome, headersForLimitDenial(decision), options);
  const verdict: Verdict = { allowed: false, reply };
  return { verdict, ...outcome };
}

function failClosed(error: unknown, options: AccessOptions) {
  const status = RuntimeTransportError.is(error) ? error.status : null;
  const httpStatus = sendable(httpStatusForRuntimeTransport(status));
  const outcome = { outcome: 'failed', error, httpStatus } as const;
  const verdict: Verdict = { allowed: false, reply: replyTo(outcome, {}, options) };
  return { verdict, ...outcome };
}

/** RFC 9110, section 15: numbers above 599 are not valid, and a `Response` refuses them. */
function sendable(status: number): number {
  return status <= 599 ? status : 502;
}

function observe(
  onDecision: (event: AccessEvent) => void | Promise<void>,
  event: AccessEvent,
): void {
  const report = (error: unknown) => warn('onDecision threw', error);
  try {
    const result: unknown = onDecision(event);
    if (result !== undefined) Promise.resolve(result).catch(report);
  } catch (error) {
    report(error);
  }
}
