import type { DenialReason } from '@ceiba/contract/sets';
import type { GateVerdict } from '#components/gates.tsx';

/** The stations of a decision, in the order of the denial reasons. */
export const GATE_NAMES = {
  missing_api_key: 'A key is sent',
  invalid_api_key: 'The key is one of this project',
  revoked_api_key: 'It is not revoked',
  archived_api_key: 'It is not archived',
  expired_api_key: 'It has not expired',
  policy_no_match: 'A policy matches',
  inactive_subscription: 'Subscription is active',
  quota_exceeded: 'The month has room',
  rate_limited: 'The minute has room',
} as const satisfies Record<DenialReason, string>;

/** What one gate said. Plain data: it crosses from server to browser. */
export interface SimulatedGate {
  /** The reason that it denies for. */
  denies: DenialReason;
  verdict: GateVerdict;
  /** The value that it saw. */
  saw?: string;
  /** An instant that belongs to the value, ISO 8601. */
  at?: string;
  /** How to fix it, and where. */
  remedy?: { text: string; href: string; label: string };
}

export interface Simulation {
  /** Null when nothing that can be judged without charging denies it. */
  denialReason: DenialReason | null;
  /** The key's name and prefix; null when none was recognised. A pasted key is never sent back. */
  apiKey: { displayName: string; keyPrefix: string } | null;
  method: string;
  path: string;
  gates: SimulatedGate[];
  /** When usage was last written, ISO 8601; null when this month has none yet. */
  usageAsOf: string | null;
}
