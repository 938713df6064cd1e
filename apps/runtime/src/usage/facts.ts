import type { UsageBatch, UsageHourCount, UsageMonthCount } from '@ceiba/schema';

/**
 * One number of usage. `count` is absolute and only grows: of two facts with the same key the larger
 * count is the newer one, and writing a fact twice changes nothing.
 */
export type UsageFact = CountFact | LastUseFact;

/** What Redis counts. */
export type CountFact = HourFact | MonthFact;

/** Decisions of one UTC hour that had one outcome. */
type HourFact = { kind: 'hour' } & UsageHourCount;

/** Allowed calls of one UTC month. */
type MonthFact = { kind: 'month' } & UsageMonthCount;

/** When a key was last allowed a call; `count` is in ms since 1970. */
interface LastUseFact {
  kind: 'lastUse';
  projectId: string;
  apiKeyId: string;
  count: number;
}

/** The field of a project's usage hash that counts the same; `factOfField` reads it. */
export function fieldOf(fact: CountFact): string {
  if (fact.kind === 'month') return `m|${fact.incarnation}|${fact.month}|${fact.scope}`;
  const { incarnation, hour, apiKeyId, policyId, outcome } = fact;
  return `h|${incarnation}|${hour}|${apiKeyId}|${policyId}|${outcome}`;
}

/** Identifies what a fact counts among those of its project. */
export const factName = (fact: UsageFact): string =>
  fact.kind === 'lastUse' ? fact.apiKeyId : fieldOf(fact);

/** Identifies what a fact counts; begins with the project, so that facts sort by project. */
export const factKey = (fact: UsageFact): string => `${fact.projectId}|${factName(fact)}`;

/** The rows of one transaction; sorted, so that two transactions lock rows in the same order. */
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
