import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import {
  type Charge,
  conclude,
  credentialState,
  decide,
  denied,
  type LiveCall,
  lookupDigestOf,
  type Policy,
  type PolicyMatcher,
  type Verdict,
} from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import type { LookupItem, LookupRow } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import type { DecidedCall } from '../decision-log/record.ts';
import type { DenialRecord } from '../usage/denials.ts';
import { projectOfSecret } from './project-secret.ts';

/** What a decision needs from the rest of the Runtime. */
export interface AuthorizeDependencies {
  lookups: { find(item: LookupItem, deadline: Deadline): Promise<LookupRow> };
  policies: {
    matcherFor(projectId: string, revision: string): PolicyMatcher | Promise<PolicyMatcher>;
  };
  limiter: { charge(call: ChargeRequest, deadline: Deadline): Promise<Charge> };
  usage: { countDenial(denial: DenialRecord): void };
  decisionLog: { add(call: DecidedCall, decision: Decision, charge?: Charge): void };
  firstUses: { record(apiKeyId: string, deadline: Deadline): Promise<void> };
  newDecisionId(): string;
  log: Pick<Logger, 'debug'>;
}

export interface ChargeRequest {
  projectId: string;
  apiKeyId: string;
  policyId: string;
  scopes: LiveCall['scopes'];
}

/** Who asks: a project, SHA-256 of the secret that came with the call, and which call it was. */
export interface Asker {
  projectId: string;
  secretDigest: Buffer;
  requestId: string;
  /** When the call arrived, in ms of a monotonic clock. */
  askedAtMs: number;
}

/** What a host asks, or a gateway that may not have said clearly which request it is about. */
export interface Question extends AuthorizeRequest {
  /** No policy allows it, not even a bare `*`: which request would be served is not known. */
  readonly isUnclear?: boolean;
}

/** A decision, or why there is none: the secret is judged before the request. */
export type Answer =
  | { kind: 'decided'; decision: Decision }
  | { kind: 'wrong_secret' }
  | { kind: 'invalid_request' };

/**
 * Answers one question: load, judge, charge, reply.
 *
 * @param request - Null where the body is not a valid request: the secret is still judged first.
 * @throws UnavailableError for any outage
 */
export async function authorize(
  dependencies: AuthorizeDependencies,
  asker: Asker,
  request: Question | null,
  deadline: Deadline,
): Promise<Answer> {
  const { projectId } = asker;
  const row = await lookUp(dependencies, projectId, request, deadline);
  const project = projectOfSecret(row.project, asker.secretDigest);
  if (project === null) return { kind: 'wrong_secret' };
  if (request === null) return { kind: 'invalid_request' };
  const matcher = await matcherFor(dependencies, { projectId, row, project, deadline });
  const judged = judge({ asker, row, project, matcher, request });
  return { kind: 'decided', decision: await settle(dependencies, judged, deadline) };
}

/** What the decision of a request needs to know; of no request, what judges the secret. */
export const lookUp = (
  { lookups }: AuthorizeDependencies,
  projectId: string,
  request: AuthorizeRequest | null,
  deadline: Deadline,
) => lookups.find({ projectId, apiKeyDigest: lookupDigestOf(request?.apiKey) }, deadline);

type Project = NonNullable<LookupRow['project']>;

interface LookedUp {
  projectId: string;
  row: LookupRow;
  project: Project;
  deadline: Deadline;
}

/** The policies that the lookup saw; null where there is no key, so that none is asked. */
export function matcherFor(
  { policies }: AuthorizeDependencies,
  { projectId, row, project, deadline }: LookedUp,
): PolicyMatcher | null | Promise<PolicyMatcher> {
  if (row.apiKey === null) return null;
  const matcher = policies.matcherFor(projectId, project.policyRevision);
  // A long list takes longer to read than a decision may take.
  return matcher instanceof Promise ? deadline.race('database', matcher) : matcher;
}

interface Loaded {
  asker: Asker;
  row: LookupRow;
  project: Project;
  matcher: PolicyMatcher | null;
  request: Question;
}

interface Judged extends Omit<Loaded, 'matcher'> {
  policy: Policy | null;
  verdict: Verdict;
}

/** The verdict before any charge, from what was looked up and the project's policies. */
export function judge({ asker, row, project, matcher, request }: Loaded): Judged {
  const { method, path, isUnclear = false } = request;
  const policy = isUnclear ? null : (matcher?.match(method, path) ?? null);
  const verdict = decide({
    projectId: asker.projectId,
    defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
    credential: credentialState(request.apiKey),
    apiKey: row.apiKey,
    policy,
    subscription: row.subscription,
  });
  return { asker, row, project, request, policy, verdict };
}

/** Charges a live call or counts a denial, and logs it. The charge begins before it first waits. */
export async function settle(
  dependencies: AuthorizeDependencies,
  judged: Judged,
  deadline: Deadline,
): Promise<Decision> {
  const { limiter, usage, decisionLog, firstUses, log } = dependencies;
  const { row, policy, verdict } = judged;
  const { projectId } = judged.asker;
  const decisionId = dependencies.newDecisionId();
  if (verdict.kind === 'deny') {
    const denial = {
      projectId,
      apiKeyId: row.apiKey?.apiKeyId ?? null,
      policyId: policy?.policyId ?? null,
      outcome: verdict.denialReason,
    };
    usage.countDenial(denial);
    log.debug({ decisionId, ...denial }, 'decision');
    const decision = denied(decisionId, verdict.denialReason);
    decisionLog.add(judged, decision);
    return decision;
  }

  const { call } = verdict;
  const { apiKeyId } = call.apiKey;
  const { policyId } = call.policy;
  const charge = await limiter.charge(
    { projectId, apiKeyId, policyId, scopes: call.scopes },
    deadline,
  );
  if (charge.kind === 'allowed' && row.apiKey?.neverUsed) {
    await firstUses.record(apiKeyId, deadline);
  }
  const outcome = charge.kind === 'allowed' ? 'allowed' : charge.denialReason;
  log.debug({ decisionId, projectId, apiKeyId, policyId, outcome }, 'decision');
  const decision = conclude(decisionId, call, charge);
  decisionLog.add(judged, decision, charge);
  return decision;
}
