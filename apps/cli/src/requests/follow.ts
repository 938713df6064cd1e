import { setTimeout as pause } from 'node:timers/promises';
import type { LoggedDecision } from '@ceiba/contract';
import { classifyError } from '@ceiba/schema';
import { OutageError } from '../errors.ts';

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
  shown: readonly LoggedDecision[],
  read: (from: string | undefined) => Promise<readonly LoggedDecision[]>,
  signal: AbortSignal,
): AsyncGenerator<LoggedDecision[]> {
  const known = new Map(shown.map(({ decisionId, at }) => [decisionId, Date.parse(at)]));
  const newest = shown[0]?.at;
  if (newest !== undefined) {
    // Those that the limit of the first list left out are not new.
    for (const { decisionId, at } of await read(timeOf(Date.parse(newest) - LATE_MS))) {
      if (at <= newest) known.set(decisionId, Date.parse(at));
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
    const found = await read(fromMs === undefined ? undefined : timeOf(fromMs));
    for (const [id, atMs] of known) if (fromMs !== undefined && atMs < fromMs) known.delete(id);
    const fresh = found.filter(({ decisionId }) => !known.has(decisionId));
    for (const { decisionId, at } of fresh) known.set(decisionId, Date.parse(at));
    if (fresh.length > 0) yield fresh.sort(byTime);
  }
}

const OUTAGES = new Set<ReturnType<typeof classifyError>>(['connection', 'busy']);

/**
 * Reads nothing while Postgres, or the console, cannot be reached, and reports it once. What was written meanwhile is
 * read afterwards.
 */
export function throughOutages(
  read: (from: string | undefined) => Promise<readonly LoggedDecision[]>,
  report: (message: string) => void,
): typeof read {
  let down: string | null = null;
  return async (from) => {
    try {
      const found = await read(from);
      if (down !== null) report(`${down} answers again.`);
      down = null;
      return found;
    } catch (error) {
      const isRemote = error instanceof OutageError;
      if (!isRemote && !OUTAGES.has(classifyError(error))) throw error;
      if (down === null) {
        down = isRemote ? 'The console' : 'Postgres';
        report(`${down} does not answer: trying again until it does.`);
      }
      return [];
    }
  };
}

const timeOf = (ms: number) => new Date(ms).toISOString();

const byTime = (a: LoggedDecision, b: LoggedDecision) =>
  Date.parse(a.at) - Date.parse(b.at) || (a.decisionId < b.decisionId ? -1 : 1);
