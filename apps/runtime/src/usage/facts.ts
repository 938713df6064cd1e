import type {
  LastUse,
  SecretUse,
  UsageBatch,
  UsageCostCount,
  UsageDayCount,
  UsageHourCount,
  UsageMonthCount,
} from '@ceiba/schema';

/**
 * One number of usage. `count` is absolute and only grows: of two facts with the same key the larger
 * count is the newer one, and writing a fact twice changes nothing.
 */
export type UsageFact = CountFact | CostFact | LastUseFact | SecretUseFact;

/** What Redis counts. */
export type CountFact = HourFact | MonthFact | DayFact;

/** Decisions of one UTC hour that had one outcome. */
type HourFact = { kind: 'hour' } & UsageHourCount;

/** What allowed calls of one month cost. */
type MonthFact = { kind: 'month' } & UsageMonthCount;

/** What allowed calls of one UTC day cost, where a quota limits days. */
type DayFact = { kind: 'day' } & UsageDayCount;

/** How the cost of a key's calls differs from their number, as this process counts it. */
interface CostFact extends Omit<UsageCostCount, 'kind'> {
  kind: 'cost';
  of: UsageCostCount['kind'];
}

/** When a key was last allowed a call; `count` is in ms since 1970. */
interface LastUseFact {
  kind: 'lastUse';
  projectId: string;
  apiKeyId: string;
  /** The prefix of the secret, where it was one that a rotation has replaced. */
  previousPrefix?: string;
  count: number;
}

/** When a project's previous secret was last accepted; `count` is in ms since 1970. */
interface SecretUseFact {
  kind: 'secretUse';
  projectId: string;
  /** Of that secret. */
  secretDigest: Buffer;
  count: number;
}

/** Whether it is a time, which is written less often than counts. */
export const isLastUse = ({ kind }: UsageFact): boolean =>
  kind === 'lastUse' || kind === 'secretUse';

/** The field of a project's usage hash that counts the same; `factOfField` reads it. */
export function fieldOf(fact: CountFact): string {
  if (fact.kind === 'month') return `m|${fact.incarnation}|${fact.month}|${fact.scope}`;
  if (fact.kind === 'day') return `d|${fact.incarnation}|${fact.day}|${fact.scope}`;
  const { incarnation, hour, apiKeyId, policyId, outcome } = fact;
  return `h|${incarnation}|${hour}|${apiKeyId}|${policyId}|${outcome}`;
}

/** Identifies what a fact counts among those of its project. */
export function factName(fact: UsageFact): string {
  if (fact.kind === 'lastUse') {
    const { apiKeyId, previousPrefix } = fact;
    return previousPrefix === undefined ? apiKeyId : `p|${apiKeyId}|${previousPrefix}`;
  }
  if (fact.kind === 'secretUse') return `s|${fact.secretDigest.toString('latin1')}`;
  if (fact.kind !== 'cost') return fieldOf(fact);
  return `c|${fact.incarnation}|${fact.hour}|${fact.apiKeyId}|${fact.of}`;
}

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
    days: [] as DayFact[],
    costs: [] as UsageCostCount[],
    lastUsed: [] as LastUse[],
    secretsUsed: [] as SecretUse[],
  };
  for (const { fact } of sorted) {
    switch (fact.kind) {
      case 'hour':
        batch.hours.push(fact);
        break;
      case 'month':
        batch.months.push(fact);
        break;
      case 'day':
        batch.days.push(fact);
        break;
      case 'cost':
        batch.costs.push({ ...fact, kind: fact.of });
        break;
      case 'lastUse':
        batch.lastUsed.push(lastUseOf(fact));
        break;
      case 'secretUse':
        batch.secretsUsed.push({ ...fact, at: new Date(fact.count) });
    }
  }
  return batch;
}

function lastUseOf({ apiKeyId, previousPrefix, count }: LastUseFact): LastUse {
  return { apiKeyId, previousPrefix, at: new Date(count) };
}
