import { DENIAL_REASONS, type DenialReason, isLimitDenial } from '@ceiba/contract/sets';
import type { GateState } from '../gates.tsx';

/** The gates of a decision, in the order of the denial reasons. */
export const GATE_NAMES = {
  missing_api_key: 'A key is sent',
  invalid_api_key: 'The key belongs to this project',
  revoked_api_key: 'The key is not revoked',
  archived_api_key: 'The key is not archived',
  expired_api_key: 'The key is not expired or disabled',
  policy_no_match: 'A policy matches',
  inactive_subscription: 'The subscription is active',
  quota_exceeded: 'The monthly quota has room',
  rate_limited: 'The rate limit has room',
} as const satisfies Record<DenialReason, string>;

/** The result of one gate. Plain data: it crosses from server to browser. */
export interface SimulatedGate {
  /** The denial reason of this gate. */
  denies: DenialReason;
  state: GateState;
  /** The value that it checked. */
  saw?: string;
  /** A time that belongs to that value, ISO 8601. */
  at?: string;
  /** How to fix it, and where. */
  remedy?: { text: string; href: string; label: string };
}

/** What a gate shows, beside its state. */
export type GateView = Partial<Omit<SimulatedGate, 'denies'>>;

/** The gates in order, up to the one that denied the call. */
export function gatesUpTo(
  denialReason: DenialReason | null,
  viewOf: (denies: DenialReason, stopped: boolean) => GateView,
): SimulatedGate[] {
  const last = denialReason === null ? DENIAL_REASONS.length : DENIAL_REASONS.indexOf(denialReason);
  return DENIAL_REASONS.map((denies, index): SimulatedGate => {
    if (index > last) return { denies, state: 'not_reached' };
    const denied = isLimitDenial(denies) ? 'limited' : 'denied';
    const stopped = index === last;
    return { denies, state: stopped ? denied : 'passed', ...viewOf(denies, stopped) };
  });
}

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
