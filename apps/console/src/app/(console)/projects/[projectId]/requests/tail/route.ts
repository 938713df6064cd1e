import { setTimeout as pause } from 'node:timers/promises';
import { type DecisionFilter, listDecisions } from '@ceiba/schema';
import { projectRoute, streamOf } from '#server/data-route.ts';
import { DatabaseUnavailableError, withDatabase } from '#server/database.ts';
import { log } from '#server/log.ts';
import { parseRequestQuery } from '../_components/request-query.ts';
import { readFilter } from '../read-requests.ts';

const POLL_MS = 2_000;
/** Then the browser connects again, which checks the session again. */
const TAIL_MS_MAX = 15_000;
/** How late a Runtime may write a decision. */
const LATE_MS = 5_000;
const COMPARED = 50;

/**
 * Sends an event when new requests match the filter of the URL (server-sent events). An event has no
 * data: the page reads the list again, with its own checks.
 */
export const GET = projectRoute(async ({ projectId, keyPrefix }, query, request) => {
  const { asked, filter } = await withDatabase((db) =>
    readFilter(db, projectId, parseRequestQuery(query, keyPrefix)),
  );
  if (Object.keys(asked.errors).length > 0) return new Response(null, { status: 400 });
  const events = newRequests(projectId, filter, request.signal);
  return new Response(streamOf(events), {
    headers: {
      'content-type': 'text/event-stream',
      // Compression would hold events back.
      'cache-control': 'no-store, no-transform',
      // So would the buffer of nginx.
      'x-accel-buffering': 'no',
    },
  });
});

/**
 * One event for each poll that finds other requests than the one before; and one at the start,
 * because requests may have been written since the page was read or the last connection ended.
 */
async function* newRequests(projectId: string, filter: DecisionFilter, signal: AbortSignal) {
  yield ': connected\n\n';
  const start = Date.now();
  const since = new Date(start - LATE_MS);
  const from = filter.from === undefined || filter.from < since ? since : filter.from;
  const read = () => newestIds(projectId, { ...filter, from });
  try {
    let seen = await read();
    yield 'data: new\n\n';
    while (Date.now() - start < TAIL_MS_MAX) {
      await pause(POLL_MS, undefined, { signal });
      const now = await read();
      if (now !== seen) yield 'data: new\n\n';
      seen = now;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    log.error({ err: error }, 'tail.database_unavailable');
  }
}

/** The IDs of the newest requests; a Runtime may write an older one after a newer one. */
async function newestIds(projectId: string, filter: DecisionFilter): Promise<string> {
  const { items } = await withDatabase((db) =>
    listDecisions(db, { projectId, filter, limit: COMPARED }),
  );
  return items.map(({ decisionId }) => decisionId).join();
}
