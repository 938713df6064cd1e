import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import {
  type Charge,
  conclude,
  credentialState,
  decide,
  denied,
  type LiveCall,
  lookupDigestOf,
  type PolicyMatcher,
} from '@ceiba/domain';
import type { LookupItem, LookupRow } from '@ceiba/schema';
import type { Deadline } from './deadline.ts';
import type { Logger } from './log.ts';
import { projectOfSecret } from './project-secret.ts';
import type { DenialRecord } from './usage/denials.ts';

/** What a decision needs from the rest of the Runtime. */
export interface AuthorizeDependencies {
  lookups: { find(item: LookupItem, deadline: Deadline): Promise<LookupRow> };
  policies: {
    matcherFor(projectId: string, revision: string): PolicyMatcher | Promise<PolicyMatcher>;
  };
  limiter: { charge(call: ChargeRequest, deadline: Deadline): Promise<Charge> };
  usage: { countDenial(denial: DenialRecord): void };
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

export interface Question {
  projectId: string;
  /** SHA-256 of the secret that came with the call. */
  secretDigest: Buffer;
  /** Null where the body is not a valid request: the secret is still judged first. */
  request: AuthorizeRequest | null;
}

/** A decision, or why there is none: the secret is judged before the request. */
export type Answer =
  | { kind: 'decided'; decision: Decision }
  | { kind: 'wrong_secret' }
  | { kind: 'invalid_request' };

/**
 * Answers one question: load, decide, charge, reply.
 *
 * @throws UnavailableError for any outage
 */
export async function authorize(
  dependencies: AuthorizeDependencies,
  { projectId, secretDigest, request }: Question,
  deadline: Deadline,
): Promise<Answer> {
  const apiKeyDigest = lookupDigestOf(request?.apiKey);
  const row = await dependencies.lookups.find({ projectId, apiKeyDigest }, deadline);
  const project = projectOfSecret(row.project, secretDigest);
  if (project === null) return { kind: 'wrong_secret' };
  if (request === null) return { kind: 'invalid_request' };

  const matcher =
    row.apiKey === null
      ? null
      : await dependencies.policies.matcherFor(projectId, project.policyRevision);
  const policy = matcher?.match(request.method, request.path) ?? null;
  const decisionId = dependencies.newDecisionId();
  const verdict = decide({
    projectId,
    defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
    credential: credentialState(request.apiKey),
    apiKey: row.apiKey,
    policy,
    subscription: row.subscription,
  });
  if (verdict.kind === 'deny') {
    const denial = {
      projectId,
      apiKeyId: row.apiKey?.apiKeyId ?? null,
      policyId: policy?.policyId ?? null,
      outcome: verdict.denialReason,
    };
    dependencies.usage.countDenial(denial);
    dependencies.log.debug({ decisionId, ...denial }, 'decision');
    return { kind: 'decided', decision: denied(decisionId, verdict.denialReason) };
  }

  const { call } = verdict;
  const { apiKeyId } = call.apiKey;
  const { policyId } = call.policy;
  const charge = await dependencies.limiter.charge(
    { projectId, apiKeyId, policyId, scopes: call.scopes },
    deadline,
  );
  if (charge.kind === 'allowed' && row.apiKey?.neverUsed) {
    await dependencies.firstUses.record(apiKeyId, deadline);
  }
  const outcome = charge.kind === 'allowed' ? 'allowed' : charge.denialReason;
  dependencies.log.debug({ decisionId, projectId, apiKeyId, policyId, outcome }, 'decision');
  return { kind: 'decided', decision: conclude(decisionId, call, charge) };
}
