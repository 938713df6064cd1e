import type { UsageBatch } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import { toBatch, type UsageFact } from './facts.ts';

/**
 * Writes a batch in one transaction.
 *
 * @returns the projects of the batch that exist
 * @throws UnavailableError where Postgres is out of reach or too slow; any other fault is held
 *   against the rows of the batch
 */
export type RecordUsage = (
  batch: UsageBatch,
  budgetMs: number,
) => Promise<{ knownProjectIds: ReadonlySet<string> }>;

export interface Recorded {
  /** What Postgres has now, or will never take because its project is gone. */
  confirmed: UsageFact[];
  /** What Postgres refused on its own, and the last reason for it. */
  refused: UsageFact[];
  refusal: unknown;
  knownProjectIds: Set<string>;
}

export const MOST_FACTS_A_WRITE = 1000;

/** Enough to find a few bad rows among a thousand; a fault of all rows must not become a storm. */
const MOST_WRITES_A_CHUNK = 64;

/**
 * Writes at most {@link MOST_FACTS_A_WRITE} facts. A chunk that is refused is split, so that one bad
 * row cannot stop the rest (consistency rule 16).
 *
 * @throws UnavailableError where Postgres is out of reach; nothing is known to be written then
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
    if (writes >= MOST_WRITES_A_CHUNK) {
      recorded.refused.push(...chunk);
      continue;
    }
    try {
      const { knownProjectIds } = await recordUsage(toBatch(chunk), budgetMs);
      recorded.confirmed.push(...chunk);
      for (const projectId of knownProjectIds) recorded.knownProjectIds.add(projectId);
    } catch (fault) {
      if (fault instanceof UnavailableError) throw fault;
      recorded.refusal = fault;
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

/** Facts in pieces of what one transaction takes. */
export function* chunksOf<T>(facts: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < facts.length; start += MOST_FACTS_A_WRITE) {
    yield facts.slice(start, start + MOST_FACTS_A_WRITE);
  }
}
