import type { Executor } from '../connection/database.ts';
import { everyPage, type Run } from '../page.ts';
import { type DecisionFilter, listDecisions } from './list.ts';

const ROWS_PER_PAGE = 1_000;

/**
 * Reads all matching decisions, newest first, a thousand at a time, for a streamed CSV file. No
 * connection is held between pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 */
export const exportDecisions = (
  run: Run<{ orm: Executor }>,
  input: { projectId: string; filter?: DecisionFilter },
) =>
  everyPage((cursor) => run((db) => listDecisions(db, { ...input, cursor, limit: ROWS_PER_PAGE })));
