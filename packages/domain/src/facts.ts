/** What a decision is made of: everything but the counters, as it was read. */
import type { ApiKeyStatus, SubscriptionStatus } from '@ceiba/contract/sets';
import type { CredentialState } from './credentials.ts';
import type { Labels } from './labels.ts';
import type { KeyLimits, LimitedCustomer, PlanCallLimits } from './limits.ts';
import type { Policy } from './policies.ts';

/** A downstream key as it was read. */
export interface ApiKeyFacts extends KeyLimits {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  status: ApiKeyStatus;
  /** Judged by the database's clock (rule database-time); at `expiresAt` itself it is true. */
  expired: boolean;
  /** Paused by a user until it is enabled. */
  disabled: boolean;
  /** Null where it is not restricted. */
  scopes: Labels;
}

/** The customer of a key, as it was read with it. */
export interface CustomerFacts extends LimitedCustomer {
  /** The owner's own id. */
  externalId: string;
  suspended: boolean;
  /** Null where the customer only groups keys. */
  plan: CustomerPlanFacts | null;
}

/** A customer's plan, and the state of the customer's subscription to it. */
export interface CustomerPlanFacts extends KeyLimits, SubscriptionFacts {
  planId: string;
  name: string;
  /** Null where it does not restrict its customers' keys. */
  scopes: Labels;
}

/** A policy with what it asks of a key, and what a call of it costs. */
export interface PolicyFacts extends Policy {
  scopes: Labels;
  /** Whole, 0 to 1,000,000. */
  cost: number;
}

/** `admits` is judged by the database's clock (rule database-time). */
interface SubscriptionFacts {
  status: SubscriptionStatus;
  admits: boolean;
}

export interface PlanFacts extends PlanCallLimits {
  planId: string;
  name: string;
}

/** Everything that a decision needs except the counters. */
export interface Snapshot {
  projectId: string;
  defaultKeyRateLimitPerMinute: number | null;
  credential: CredentialState;
  /** Null where the project has no such key: unknown, malformed or another project's. */
  apiKey: ApiKeyFacts | null;
  /** Null for a key without one. */
  customer: CustomerFacts | null;
  policy: PolicyFacts | null;
  /** Of other readings of the request (rule every-reading). */
  otherPolicies: readonly PolicyFacts[];
  subscription: (SubscriptionFacts & { plan: PlanFacts }) | null;
}
