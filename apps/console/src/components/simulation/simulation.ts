import { type DenialDetail, type DenialReason, isLimitDenial } from '@ceiba/contract/sets';
import type { GateState } from '../gates.tsx';

/** The gates of a decision, in order. Two of them share the denial reason of the one before. */
export const GATE_NAMES = {
  missing_api_key: 'A key is sent',
  invalid_api_key: 'The key belongs to this project',
  revoked_api_key: 'The key is not revoked',
  archived_api_key: 'The key is not archived',
  expired_api_key: 'The key is not expired or disabled',
  policy_no_match: 'A policy matches',
  scope: 'Scope: the policy is open to the key',
  inactive_subscription: 'The subscription is active',
  customer: 'Customer: may call',
  quota_exceeded: 'The quotas have room',
  rate_limited: 'The rate limit has room',
} as const satisfies Record<DenialReason | 'scope' | 'customer', string>;
export type GateId = keyof typeof GATE_NAMES;

const GATES = Object.keys(GATE_NAMES) as GateId[];

/** The details that are those of a gate of their own. */
const GATE_OF_DETAIL: Partial<Record<DenialDetail, GateId>> = {
  scope: 'scope',
  plan_scope: 'scope',
  customer_suspended: 'customer',
  customer_past_due: 'customer',
  customer_canceled: 'customer',
  customer_period_ended: 'customer',
};

/** The gate that denied; null for an allow. */
export const gateThatDenied = ({
  denialReason,
  denialDetail,
}: {
  denialReason: DenialReason | null;
  denialDetail: DenialDetail | null;
}): GateId | null =>
  denialReason && ((denialDetail && GATE_OF_DETAIL[denialDetail]) ?? denialReason);

/** The place is absent for users who may not open it. */
export interface Remedy {
  text: string;
  href?: string;
  label?: string;
}

/** The result of one gate. Plain data: it crosses from server to browser. */
export interface SimulatedGate {
  gate: GateId;
  state: GateState;
  /** The value that it checked. */
  saw?: string;
  /** A time that belongs to that value, ISO 8601. */
  at?: string;
  /** How to fix it, and where. */
  remedy?: Remedy;
  /** Where the cause of a recorded denial is found, beside how to fix it. */
  cause?: Remedy;
}

/** What a gate shows, beside its state. */
export type GateView = Partial<Omit<SimulatedGate, 'gate'>>;

/** The gates in order, up to the one that denied the call. */
export function gatesUpTo(
  denying: GateId | null,
  viewOf: (gate: GateId, stopped: boolean) => GateView,
): SimulatedGate[] {
  const last = denying === null ? GATES.length : GATES.indexOf(denying);
  return GATES.map((gate, index): SimulatedGate => {
    if (index > last) return { gate, state: 'not_reached' };
    const denied = isLimit(gate) ? 'limited' : 'denied';
    const stopped = index === last;
    return { gate, state: stopped ? denied : 'passed', ...viewOf(gate, stopped) };
  });
}

const isLimit = (gate: GateId) => gate !== 'scope' && gate !== 'customer' && isLimitDenial(gate);

/** A decision, gate by gate: one that was made, or one that would be. */
export interface ExplainedDecision {
  /** Null if no gate that was checked denies the call. */
  denialReason: DenialReason | null;
  /** The key's name and prefix; null if it is unknown. A pasted key is never sent back. */
  apiKey: { displayName: string; keyPrefix: string } | null;
  method: string;
  /** Null if it was not recorded. */
  path: string | null;
  gates: SimulatedGate[];
}

export interface Simulation extends ExplainedDecision {
  path: string;
  /** When usage was last written, ISO 8601; null if there is none this month. */
  usageAsOf: string | null;
}

/** The gate that denied a decision; undefined for an allow. */
const denyingGate = ({ gates }: ExplainedDecision) =>
  gates.find(({ state }) => state === 'denied' || state === 'limited')?.gate;

/** Whether two decisions on a call are the same, by the same gate. */
export const isSameVerdict = (one: ExplainedDecision, other: ExplainedDecision): boolean =>
  one.denialReason === other.denialReason && denyingGate(one) === denyingGate(other);

/**
 * A recorded decision as one with the same verdict now: what the gates saw then, what they see now where
 * the record does not say, and beside the fix the cause.
 */
export const joined = (recorded: ExplainedDecision, now: ExplainedDecision): ExplainedDecision => ({
  ...recorded,
  gates: recorded.gates.map((gate, index) => {
    const { remedy: fix, ...current } = now.gates[index] ?? {};
    const { remedy: cause, ...past } = gate;
    const remedy = fix ?? cause;
    return { ...current, ...past, ...(remedy && { remedy }), ...(fix && cause && { cause }) };
  }),
});
