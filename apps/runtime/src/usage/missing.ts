import type { UsageBatch, UsageComparison } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import type { CountFact, UsageFact } from './facts.ts';
import { chunksOf, type RecordUsage, recordFacts } from './record.ts';

/**
 * Says which counts of a batch Postgres lacks.
 *
 * @throws UnavailableError where Postgres is out of reach or too slow; any other fault is held
 *   against the rows of the batch
 */
export type CompareUsage = (
  batch: Pick<UsageBatch, 'hours' | 'months'>,
  budgetMs: number,
) => Promise<UsageComparison>;

export interface Adopted {
  /** What Postgres has now, or will never take because its project is gone. */
  confirmed: readonly CountFact[];
  hasWritten: boolean;
  knownProjectIds: ReadonlySet<string>;
  deletedProjectIds: ReadonlySet<string>;
}

/**
 * Writes what Postgres lacks of some facts (consistency rule 36).
 *
 * @throws UnavailableError where Postgres is out of reach
 */
export async function recordMissing(
  facts: readonly CountFact[],
  { compareUsage, recordUsage }: { compareUsage: CompareUsage; recordUsage: RecordUsage },
  budgetMs: number,
): Promise<Adopted> {
  const { missing, deletedProjectIds, ...compared } = await compare(facts, compareUsage, budgetMs);
  const knownProjectIds = new Set(compared.knownProjectIds);
  const refused = new Set<UsageFact>();
  for (const chunk of chunksOf(missing)) {
    const recorded = await recordFacts(chunk, recordUsage, budgetMs);
    for (const fact of recorded.refused) refused.add(fact);
    for (const projectId of recorded.knownProjectIds) knownProjectIds.add(projectId);
  }
  const confirmed = facts.filter((fact) => !refused.has(fact));
  return { confirmed, hasWritten: missing.length > 0, knownProjectIds, deletedProjectIds };
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
  try {
    const { missing, ...projects } = await compareUsage({ hours, months }, budgetMs);
    const lacking = [
      ...missing.hours.flatMap((at) => hours[at] ?? []),
      ...missing.months.flatMap((at) => months[at] ?? []),
    ];
    return {
      missing: lacking.filter(({ projectId }) => projects.knownProjectIds.has(projectId)),
      ...projects,
    };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    // A row that cannot even be compared: the write finds it by halving.
    return { missing: facts, knownProjectIds: new Set(), deletedProjectIds: new Set() };
  }
}
