import type { Decision } from '@ceiba/contract';
import type { Charge, ChargeRequest, PolicyFacts, PolicyMatcher } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import type { LookupItem, LookupRow } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import type { DecidedCall } from '../decision-log/record.ts';
import type {
  CostRecord,
  DenialRecord,
  PreviousSecretUse,
  PreviousUse,
} from '../usage/process-counts.ts';

/** What a decision needs from the rest of the Runtime. */
export interface Dependencies {
  lookups: { find(item: LookupItem, deadline: Deadline): Promise<LookupRow> };
  policies: {
    matcherFor(
      projectId: string,
      revision: string,
    ): PolicyMatcher<PolicyFacts> | Promise<PolicyMatcher<PolicyFacts>>;
  };
  limiter: { charge(request: ChargeRequest, deadline: Deadline): Promise<Charge> };
  usage: {
    countDenial(denial: DenialRecord): void;
    countCost(call: CostRecord): void;
    notePreviousUse(key: PreviousUse): void;
    notePreviousSecret(use: PreviousSecretUse): void;
  };
  decisionLog: { add(call: DecidedCall, decision: Decision, charge?: Charge): void };
  firstUses: { record(apiKeyId: string, deadline: Deadline): Promise<void> };
  errors: { reportUnclearRequest(problem: string, requestId: string): void };
  newDecisionId(): string;
  log: Pick<Logger, 'debug'>;
}
