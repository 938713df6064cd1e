import type { UsageBatch, UsageComparison } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import type { CountFact, UsageFact } from './facts.ts';
import { chunksOf, type RecordUsage, recordFacts } from './record.ts';

/**
 * Finds the counts of a batch that Postgres lacks.
 *
 * @throws UnavailableError if Postgres is unreachable or too slow; any other error means that a row
 *   of the batch was rejected
 */
export type CompareUsage = (
  batch: Pick<UsageBatch, 'hours' | 'months' | 'days'>,
  budgetMs: number,
) => Promise<UsageComparison>;

export interface Adopted {
  /** Facts that Postgres has stored, or never will because their project was deleted. */
  confirmed: readonly CountFact[];
  /** Why Postgres rejected the others; null if it rejected none. */
  refusal: unknown;
  hasWritten: boolean;
  knownProjectIds: ReadonlySet<string>;
  deletedProjectIds: ReadonlySet<string>;
}

/**
 * Writes the facts that Postgres lacks (rule missing-usage).
 *
 * @throws UnavailableError if Postgres is unreachable
 */
export async function recordMissing(
  facts: readonly CountFact[],
  { compareUsage, recordUsage }: { compareUsage: CompareUsage; recordUsage: RecordUsage },
  budgetMs: number,
): Promise<Adopted> {
  const { missing, deletedProjectIds, ...compared } = await compare(facts, compareUsage, budgetMs);
  const knownProjectIds = new Set(compared.knownProjectIds);
  const refused = new Set<UsageFact>();
  let refusal: unknown = null;
  for (const chunk of chunksOf(missing)) {
    const recorded = await recordFacts(chunk, recordUsage, budgetMs);
    for (const fact of recorded.refused) refused.add(fact);
    refusal = recorded.refusal ?? refusal;
    for (const projectId of recorded.knownProjectIds) knownProjectIds.add(projectId);
  }
  const confirmed = facts.filter((fact) => !refused.has(fact));
  return { confirmed, refusal, hasWritten: missing.length > 0, knownProjectIds, deletedProjectIds };
}

async function compare(
  facts: readonly CountFact[],
  compareUsage: CompareUsage,
  budgetMs: number,
): Promise<{
  missing: readonly CountFact[];
  knownProjectIds: ReadonlySet<string>;
  deletedProjectIds: ReadonlySet<string>;
}> {
  const hours = facts.filter((fact) => fact.kind === 'hour');
  const months = facts.filter((fact) => fact.kind === 'month');
  const days = facts.filter((fact) => fact.kind === 'day');
  try {
    const { missing, ...projects } = await compareUsage({ hours, months, days }, budgetMs);
    const lacking = [
      ...missing.hours.flatMap((at) => hours[at] ?? []),
      ...missing.months.flatMap((at) => months[at] ?? []),
      ...missing.days.flatMap((at) => days[at] ?? []),
    ];
    return {
      missing: lacking.filter(({ projectId }) => projects.knownProjectIds.has(projectId)),
      ...projects,
    };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    // One of the rows is invalid: the write below finds it by splitting.
    return { missing: facts, knownProjectIds: new Set(), deletedProjectIds: new Set() };
  }
}
