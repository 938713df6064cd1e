import type { Outcome } from '@ceiba/contract/sets';
import type { UsageBatch } from '@ceiba/schema';

/**
 * One thing known of usage. `count` is an absolute number that only grows, so of two facts with
 * the same key the larger count is the truth, and writing one again changes nothing.
 */
export type UsageFact = CountFact | LastUseFact;

/** What Redis counts. */
export type CountFact = HourFact | MonthFact;

/** Decisions of one UTC hour that came to one outcome. */
interface HourFact {
  kind: 'hour';
  projectId: string;
  /** Whole hours since 1970. */
  hour: number;
  apiKeyId: string | null;
  policyId: string | null;
  outcome: Outcome;
  incarnation: string;
  count: number;
}

/** Admissions of one UTC month; `scope` is `project` or a key's id. */
interface MonthFact {
  kind: 'month';
  projectId: string;
  /** Year × 12 + month, January being 0. */
  month: number;
  scope: string;
  incarnation: string;
  count: number;
}

/** When a key was last admitted; `count` is ms since 1970. */
interface LastUseFact {
  kind: 'lastUse';
  projectId: string;
  apiKeyId: string;
  count: number;
}

/** Names what a fact counts; begins with the project, so that sorting keeps a project together. */
export function factKey(fact: UsageFact): string {
  switch (fact.kind) {
    case 'hour': {
      const { projectId, hour, apiKeyId, policyId, outcome, incarnation } = fact;
      return `${projectId}|h|${hour}|${apiKeyId}|${policyId}|${outcome}|${incarnation}`;
    }
    case 'month':
      return `${fact.projectId}|m|${fact.month}|${fact.scope}|${fact.incarnation}`;
    case 'lastUse':
      return `${fact.projectId}|u|${fact.apiKeyId}`;
  }
}

/** What one transaction writes; sorted, so that two of them lock their rows in the same order. */
export function toBatch(facts: readonly UsageFact[]): UsageBatch {
  const sorted = facts
    .map((fact) => ({ key: factKey(fact), fact }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const batch = {
    hours: [] as HourFact[],
    months: [] as MonthFact[],
    lastUsed: [] as { apiKeyId: string; at: Date }[],
  };
  for (const { fact } of sorted) {
    if (fact.kind === 'hour') batch.hours.push(fact);
    else if (fact.kind === 'month') batch.months.push(fact);
    else batch.lastUsed.push({ apiKeyId: fact.apiKeyId, at: new Date(fact.count) });
  }
  return batch;
}
