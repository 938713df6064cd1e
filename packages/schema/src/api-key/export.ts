import type { Executor } from '../connection/database.ts';
import { everyPage, type Run } from '../page.ts';
import { listApiKeyRows, type SearchApiKeysInput } from './search.ts';

const ROWS_PER_PAGE = 1_000;

/**
 * Reads all matching keys in their order, a thousand at a time, for a streamed CSV file. No
 * connection is held between pages.
 *
 * @param run runs a verb, such as the console's `withDatabase`
 */
export const exportApiKeys = (
  run: Run<{ orm: Executor }>,
  input: Omit<SearchApiKeysInput, 'cursor' | 'limit'>,
) =>
  everyPage((cursor) =>
    run((db) => listApiKeyRows(db, { ...input, cursor, limit: ROWS_PER_PAGE })),
  );
