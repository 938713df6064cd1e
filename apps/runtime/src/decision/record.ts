/** What is written down of a decision: usage, first and last uses, the log of decisions, log lines. */
import type { Decision, DenyDecision } from '@ceiba/contract';
import type { Charge, ChargeRequest, Judgement, PolicyFacts } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';

export interface Judged extends Loaded {
  policy: PolicyFacts | null;
  judgement: Judgement;
}

/** Of a denial that charged nothing. */
export function recordDenial(
  dependencies: Dependencies,
  judged: Judged,
  decision: DenyDecision,
): void {
  const { usage, decisionLog, errors, log } = dependencies;
  const { asker, question } = judged;
  if (question.problem) errors.reportUnclearRequest(question.problem, asker.requestId);
  const denial = {
    projectId: asker.projectId,
    apiKeyId: judged.row.apiKey?.apiKeyId ?? null,
    policyId: judged.policy?.policyId ?? null,
    outcome: decision.denialReason,
  };
  usage.countDenial(denial);
  log.debug({ decisionId: decision.decisionId, ...denial }, 'decision');
  decisionLog.add(judged, decision);
}

/** @throws UnavailableError where the first use of a key could not be written in time */
export async function recordCharge(
  dependencies: Dependencies,
  judged: Judged,
  charged: { request: ChargeRequest; charge: Charge; decision: Decision },
  deadline: Deadline,
): Promise<void> {
  const { usage, decisionLog, firstUses, log } = dependencies;
  const { request, charge, decision } = charged;
  const { projectId, apiKeyId, policyId, cost } = request;
  const { apiKey } = judged.row;
  const outcome = charge.kind === 'allowed' ? 'allowed' : charge.denialReason;
  if (outcome === 'allowed') {
    usage.countCost({ projectId, apiKeyId, cost });
    if (apiKey?.byPreviousSecret) usage.notePreviousUse({ projectId, ...apiKey });
    if (apiKey?.neverUsed) await firstUses.record(apiKeyId, deadline);
  }
  log.debug(
    { decisionId: decision.decisionId, projectId, apiKeyId, policyId, outcome },
    'decision',
  );
  decisionLog.add(judged, decision, charge);
}
