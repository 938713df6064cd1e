import type { UsageBatch } from '@ceiba/schema';
import { Failed, isolated } from '../isolate.ts';
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
  /** Facts that Postgres rejected, and its last error; null if there is none. */
  refused: UsageFact[];
  refusal: unknown;
  knownProjectIds: Set<string>;
}

export const REFUSED = 'Postgres refused rows of usage; they are kept and retried';

export const FACTS_PER_WRITE_MAX = 1000;

/** Enough to find a few bad rows among a thousand, and few enough if all rows are rejected. */
const WRITES_PER_CHUNK_MAX = 64;

/**
 * Writes at most {@link FACTS_PER_WRITE_MAX} facts. A bad row is isolated, so that it cannot
 * block the others (rule confirmed-flush).
 *
 * @throws UnavailableError if Postgres is unreachable; some facts may have been written
 */
export async function recordFacts(
  facts: readonly UsageFact[],
  recordUsage: RecordUsage,
  budgetMs: number,
): Promise<Recorded> {
  const knownProjectIds = new Set<string>();
  const write = async (chunk: readonly UsageFact[]) => {
    const written = await recordUsage(toBatch(chunk), budgetMs);
    for (const projectId of written.knownProjectIds) knownProjectIds.add(projectId);
    return chunk;
  };
  const outcomes = await isolated(facts, write, {
    isOfOneItem: (error) => !(error instanceof UnavailableError),
    runsMax: WRITES_PER_CHUNK_MAX,
  });
  const recorded: Recorded = { confirmed: [], refused: [], refusal: null, knownProjectIds };
  for (const [index, fact] of facts.entries()) {
    const outcome = outcomes[index];
    if (!(outcome instanceof Failed)) {
      recorded.confirmed.push(fact);
    } else {
      if (outcome.error instanceof UnavailableError) throw outcome.error;
      recorded.refused.push(fact);
      recorded.refusal = outcome.error;
    }
  }
  return recorded;
}

/** Splits facts into chunks for one transaction each. */
export function* chunksOf<T>(facts: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < facts.length; start += FACTS_PER_WRITE_MAX) {
    yield facts.slice(start, start + FACTS_PER_WRITE_MAX);
  }
}
