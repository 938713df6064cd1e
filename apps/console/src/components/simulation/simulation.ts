import type { DenialReason } from '@ceiba/contract/sets';
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
