import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import { type Charge, type Judgement, type Policy, publicPrefixOf } from '@ceiba/domain';
import type { LookupRow, NewDecision } from '@ceiba/schema';
import { loggedPath, withoutApiKey } from './redact.ts';

/** What the log keeps of a call that was decided. */
export interface DecidedCall {
  asker: { projectId: string; requestId: string; askedAtMs: number };
  row: LookupRow;
  project: { loggedAllowsPercent: number; isUnsampled: boolean; logsPaths: boolean };
  policy: Policy | null;
  judgement: Judgement;
  question: AuthorizeRequest;
}

/** The row of a decision. It holds no credential, wherever the caller put one. */
export function recordOf(
  call: DecidedCall,
  decision: Decision,
  charge: Charge | undefined,
  nowMs: number,
): NewDecision {
  const { asker, row, project, policy, judgement, question } = call;
  const { apiKey } = question;
  const exceeded = charge?.kind === 'denied' ? charge.exceeded : null;
  return {
    projectId: asker.projectId,
    decisionId: decision.decisionId,
    requestId: withoutApiKey(asker.requestId, apiKey),
    method: withoutApiKey(question.method, apiKey),
    path: project.logsPaths ? loggedPath(question.path, apiKey) : null,
    outcome: decision.allowed ? 'allowed' : decision.denialReason,
    denialDetail: judgement.kind === 'deny' ? judgement.denialDetail : null,
    apiKeyId: row.apiKey?.apiKeyId ?? null,
    customerId: row.customer?.customerId ?? null,
    keyPrefix: row.apiKey?.keyPrefix ?? publicPrefixOf(apiKey),
    byPreviousSecret: row.apiKey?.byPreviousSecret ?? false,
    policyId: policy?.policyId ?? null,
    limits: decision.limits ?? null,
    limitOwner: exceeded?.owner ?? null,
    limitWindow: exceeded?.window ?? null,
    limitValue: exceeded?.value ?? null,
    latencyMs: Math.max(0, Math.round(nowMs - asker.askedAtMs)),
  };
}
