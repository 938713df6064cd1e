import type { Decision } from '@ceiba/contract';
import { conclude, credentialState, decide, denied } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import { type Judged, recordCharge, recordDenial } from './record.ts';

/** The judgement before any charge. */
export function judge(loaded: Loaded): Judged {
  const { asker, question, row, project, matcher } = loaded;
  const { apiKey, method, path, problem } = question;
  const policy = problem === undefined ? (matcher?.match(method, path) ?? null) : null;
  const otherPolicies = policy && matcher ? matcher.others(policy, method, path) : [];
  const judgement = decide({
    projectId: asker.projectId,
    defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
    credential: credentialState(apiKey),
    apiKey: row.apiKey,
    customer: row.customer,
    policy,
    otherPolicies,
    subscription: row.subscription,
  });
  return { asker, question, row, project, matcher, policy, judgement };
}

/** Charges a live call, or denies it, and records which. The charge begins before it first waits. */
export async function settle(
  dependencies: Dependencies,
  judged: Judged,
  deadline: Deadline,
): Promise<Decision> {
  const decisionId = dependencies.newDecisionId();
  const { question, judgement } = judged;
  if (judgement.kind === 'deny') {
    const decision = denied(decisionId, judgement.denialReason);
    recordDenial(dependencies, judged, decision);
    return decision;
  }
  const { call } = judgement;
  const request = {
    projectId: call.projectId,
    apiKeyId: call.apiKey.apiKeyId,
    policyId: call.policy.policyId,
    cost: question.cost ?? call.cost,
    scopes: call.scopes,
  };
  const charge = await dependencies.limiter.charge(request, deadline);
  const decision = conclude(decisionId, call, charge);
  await recordCharge(dependencies, judged, { request, charge, decision }, deadline);
  return decision;
}
