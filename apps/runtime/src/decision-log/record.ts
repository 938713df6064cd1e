import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import type { DenialDetail, DenialReason, SubscriptionStatus } from '@ceiba/contract/sets';
import { type Charge, type Policy, publicPrefixOf } from '@ceiba/domain';
import type { LookupRow, NewDecision } from '@ceiba/schema';
import { loggedPath, withoutApiKey } from './redact.ts';

/** What the log keeps of a call that was decided. */
export interface DecidedCall {
  asker: { projectId: string; requestId: string; askedAtMs: number };
  row: LookupRow;
  project: { loggedAllowsPercent: number; logsPaths: boolean };
  policy: Policy | null;
  question: AuthorizeRequest;
}

/** The row of a decision. It holds no credential, wherever the caller put one. */
export function recordOf(
  call: DecidedCall,
  decision: Decision,
  charge: Charge | undefined,
  nowMs: number,
): NewDecision {
  const { asker, row, project, policy, question } = call;
  const { apiKey } = question;
  return {
    projectId: asker.projectId,
    decisionId: decision.decisionId,
    requestId: withoutApiKey(asker.requestId, apiKey),
    method: withoutApiKey(question.method, apiKey),
    path: project.logsPaths ? loggedPath(question.path, apiKey) : null,
    outcome: decision.allowed ? 'allowed' : decision.denialReason,
    denialDetail: decision.allowed ? null : detailOf(row, decision.denialReason),
    apiKeyId: row.apiKey?.apiKeyId ?? null,
    keyPrefix: row.apiKey?.keyPrefix ?? publicPrefixOf(apiKey),
    policyId: policy?.policyId ?? null,
    limits: decision.limits ?? null,
    limitOwner: charge?.kind === 'denied' ? charge.exceeded.owner : null,
    latencyMs: Math.max(0, Math.round(nowMs - asker.askedAtMs)),
  };
}

/** Which state denied, where the reason covers several. */
function detailOf({ apiKey, subscription }: LookupRow, reason: DenialReason): DenialDetail | null {
  switch (reason) {
    case 'expired_api_key':
      return apiKey?.expired ? 'expired' : 'disabled';
    case 'inactive_subscription':
      return subscription === null ? 'no_subscription' : LAPSED_BY[subscription.status];
    default:
      return null;
  }
}

/** Why a subscription does not admit: one whose status would has reached the end of its period. */
const LAPSED_BY = {
  active: 'period_ended',
  trialing: 'period_ended',
  past_due: 'past_due',
  canceled: 'canceled',
} as const satisfies Record<SubscriptionStatus, DenialDetail>;
