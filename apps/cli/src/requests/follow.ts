import { setTimeout as pause } from 'node:timers/promises';
import { classifyError, type DecisionRecord } from '@ceiba/schema';

const POLL_MS = 1_000;
/** Runtimes write in turn: a decision may be written this much later than one that was made after it. */
const LATE_MS = 10_000;

/**
 * Yields decisions that are new to the log, oldest first, until the signal is aborted. Of those that
 * are written more than ten seconds late, as after an outage, some may be missing.
 *
 * @param shown the newest decisions that were shown already, the newest first
 * @param read reads the matching decisions from a time on; all of them without one
 */
export async function* newDecisions(
  shown: readonly DecisionRecord[],
  read: (from: Date | undefined) => Promise<readonly DecisionRecord[]>,
  signal: AbortSignal,
): AsyncGenerator<DecisionRecord[]> {
  const known = new Map(shown.map(({ decisionId, at }) => [decisionId, at.getTime()]));
  const newest = shown[0]?.at;
  if (newest !== undefined) {
    // Those that the limit of the first list left out are not new.
    for (const { decisionId, at } of await read(new Date(newest.getTime() - LATE_MS))) {
      if (at <= newest) known.set(decisionId, at.getTime());
    }
  }
  for (;;) {
    try {
      await pause(POLL_MS, undefined, { signal });
    } catch {
      return;
    }
    // By the times of the log, because the clock of this machine may differ from the Runtimes'.
    const fromMs = known.size === 0 ? undefined : Math.max(...known.values()) - LATE_MS;
    const found = await read(fromMs === undefined ? undefined : new Date(fromMs));
    for (const [id, atMs] of known) if (fromMs !== undefined && atMs < fromMs) known.delete(id);
    const fresh = found.filter(({ decisionId }) => !known.has(decisionId));
    for (const { decisionId, at } of fresh) known.set(decisionId, at.getTime());
    if (fresh.length > 0) yield fresh.sort(byTime);
  }
}

const OUTAGES = new Set<ReturnType<typeof classifyError>>(['connection', 'busy']);

/**
 * Reads nothing while Postgres cannot be reached, and reports it once. What was written meanwhile is
 * read afterwards.
 */
export function throughOutages(
  read: (from: Date | undefined) => Promise<readonly DecisionRecord[]>,
  report: (message: string) => void,
): typeof read {
  let isDown = false;
  return async (from) => {
    try {
      const found = await read(from);
      if (isDown) report('Postgres answers again.');
      isDown = false;
      return found;
    } catch (error) {
      if (!OUTAGES.has(classifyError(error))) throw error;
      if (!isDown) report('Postgres does not answer: trying again until it does.');
      isDown = true;
      return [];
    }
  };
}

const byTime = (a: DecisionRecord, b: DecisionRecord) =>
  a.at.getTime() - b.at.getTime() || (a.decisionId < b.decisionId ? -1 : 1);
