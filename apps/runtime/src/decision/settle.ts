import type { Decision } from '@ceiba/contract';
import {
  conclude,
  credentialState,
  decide,
  denied,
  type Judgement,
  type PolicyFacts,
} from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';

interface Judged extends Loaded {
  policy: PolicyFacts | null;
  judgement: Judgement;
}

/** The judgement before any charge. */
export function judge(loaded: Loaded): Judged {
  const { asker, question, row, project, matcher } = loaded;
  const { apiKey, method, path, problem } = question;
  const policy = problem === undefined ? (matcher?.match(method, path) ?? null) : null;
  const judgement = decide({
    projectId: asker.projectId,
    defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
    credential: credentialState(apiKey),
    apiKey: row.apiKey,
    customer: row.customer,
    policy,
    subscription: row.subscription,
  });
  return { ...loaded, policy, judgement };
}

/** Charges a live call or counts a denial, and logs it. The charge begins before it first waits. */
export async function settle(
  dependencies: Dependencies,
  judged: Judged,
  deadline: Deadline,
): Promise<Decision> {
  const { limiter, usage, decisionLog, firstUses, errors, log } = dependencies;
  const { asker, question, row, policy, judgement } = judged;
  const { projectId } = asker;
  if (question.problem) errors.reportUnclearRequest(question.problem, asker.requestId);
  const decisionId = dependencies.newDecisionId();
  if (judgement.kind === 'deny') {
    const denial = {
      projectId,
      apiKeyId: row.apiKey?.apiKeyId ?? null,
      policyId: policy?.policyId ?? null,
      outcome: judgement.denialReason,
    };
    usage.countDenial(denial);
    log.debug({ decisionId, ...denial }, 'decision');
    const decision = denied(decisionId, judgement.denialReason);
    decisionLog.add(judged, decision);
    return decision;
  }

  const { call } = judgement;
  const { apiKeyId } = call.apiKey;
  const { policyId } = call.policy;
  const cost = question.cost ?? call.policy.cost;
  const charge = await limiter.charge(
    { projectId, apiKeyId, policyId, cost, scopes: call.scopes },
    deadline,
  );
  const outcome = charge.kind === 'allowed' ? 'allowed' : charge.denialReason;
  if (outcome === 'allowed') {
    usage.countCost({ projectId, apiKeyId, cost });
    if (row.apiKey?.byPreviousSecret) usage.notePreviousUse({ projectId, ...row.apiKey });
    if (row.apiKey?.neverUsed) await firstUses.record(apiKeyId, deadline);
  }
  log.debug({ decisionId, projectId, apiKeyId, policyId, outcome }, 'decision');
  const decision = conclude(decisionId, call, charge);
  decisionLog.add(judged, decision, charge);
  return decision;
}
