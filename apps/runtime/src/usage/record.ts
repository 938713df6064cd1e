import type { UsageBatch } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import { toBatch, type UsageFact } from './facts.ts';

/**
 * Writes a batch in one transaction.
 *
 * @returns the projects of the batch that exist
 * @throws UnavailableError if Postgres is unreachable or too slow; any other error means that a row
 *   of the batch was rejected
 */
export type RecordUsage = (
  batch: UsageBatch,
  budgetMs: number,
) => Promise<{ knownProjectIds: ReadonlySet<string> }>;

export interface Recorded {
  /** Facts that Postgres has stored, or never will because their project was deleted. */
  confirmed: UsageFact[];
  /** Facts that Postgres rejected, and its last error. */
  refused: UsageFact[];
  refusal: unknown;
  knownProjectIds: Set<string>;
}

export const MOST_FACTS_PER_WRITE = 1000;

/** Enough to find a few bad rows among a thousand, and few enough if all rows are rejected. */
const MOST_WRITES_PER_CHUNK = 64;

/**
 * Writes at most {@link MOST_FACTS_PER_WRITE} facts. A rejected chunk is split, so that one bad row
 * cannot block the others (consistency rule 16).
 *
 * @throws UnavailableError if Postgres is unreachable; some facts may have been written
 */
export async function recordFacts(
  facts: readonly UsageFact[],
  recordUsage: RecordUsage,
  budgetMs: number,
): Promise<Recorded> {
  const recorded: Recorded = {
    confirmed: [],
    refused: [],
    refusal: null,
    knownProjectIds: new Set(),
  };
  const waiting = [facts];
  for (let writes = 0; waiting.length > 0; writes++) {
    const chunk = waiting.shift() ?? [];
    if (writes >= MOST_WRITES_PER_CHUNK) {
      recorded.refused.push(...chunk);
      continue;
    }
    try {
      const { knownProjectIds } = await recordUsage(toBatch(chunk), budgetMs);
      recorded.confirmed.push(...chunk);
      for (const projectId of knownProjectIds) recorded.knownProjectIds.add(projectId);
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      recorded.refusal = error;
      if (chunk.length <= 1) recorded.refused.push(...chunk);
      else waiting.unshift(...halvesOf(chunk));
    }
  }
  return recorded;
}

function halvesOf<T>(items: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** Splits facts into chunks for one transaction each. */
export function* chunksOf<T>(facts: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < facts.length; start += MOST_FACTS_PER_WRITE) {
    yield facts.slice(start, start + MOST_FACTS_PER_WRITE);
  }
}
