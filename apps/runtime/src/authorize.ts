import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import {
  type Charge,
  conclude,
  credentialState,
  decide,
  denied,
  digestOf,
  isWellFormedApiKey,
  type LiveCall,
  type PolicyMatcher,
} from '@ceiba/domain';
import type { LookupItem, LookupRow } from '@ceiba/schema';
import type { Deadline } from './deadline.ts';
import { requireSecret } from './http/project-secret.ts';
import type { Logger } from './log.ts';
import type { DenialRecord } from './usage/denials.ts';

/** What the decision asks of the rest of the Runtime. */
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
  /** The body as far as it could be read; asked for only once the secret has been accepted. */
  body(): AuthorizeRequest;
  /** The credential before the body was judged, so that one lookup serves secret and key. */
  apiKey: string | null;
}

/**
 * Answers one question: load, decide, charge, reply.
 *
 * @throws TransportError for a wrong secret or a malformed body; UnavailableError for any fault
 */
export async function authorize(
  dependencies: AuthorizeDependencies,
  question: Question,
  deadline: Deadline,
): Promise<Decision> {
  const { projectId } = question;
  const row = await dependencies.lookups.find(
    { projectId, apiKeyDigest: digestToLookUp(question.apiKey) },
    deadline,
  );
  const project = requireSecret(row.project, question.secretDigest);
  const request = question.body();

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
    return denied(decisionId, verdict.denialReason);
  }

  const { call } = verdict;
  const { apiKeyId } = call.apiKey;
  const { policyId } = call.policy;
  const charge = await dependencies.limiter.charge(
    { projectId, apiKeyId, policyId, scopes: call.scopes },
    deadline,
  );
  if (charge.kind === 'admitted' && row.apiKey?.neverUsed) {
    await dependencies.firstUses.record(apiKeyId, deadline);
  }
  const outcome = charge.kind === 'admitted' ? 'allowed' : charge.denialReason;
  dependencies.log.debug({ decisionId, projectId, apiKeyId, policyId, outcome }, 'decision');
  return conclude(decisionId, call, charge);
}

/** The checksum spares a key that cannot exist its part of the lookup, never the secret's part. */
const digestToLookUp = (apiKey: string | null) =>
  apiKey !== null && isWellFormedApiKey(apiKey) ? digestOf(apiKey) : null;
