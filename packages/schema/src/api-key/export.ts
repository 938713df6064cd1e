import type { Executor } from '../connection/database.ts';
import { exportPages, type Run } from '../page.ts';
import { listApiKeyRows, type SearchApiKeysInput } from './search.ts';

/** All matching keys in their order, as {@link exportPages}. */
export const exportApiKeys = (
  run: Run<{ orm: Executor }>,
  input: Omit<SearchApiKeysInput, 'cursor' | 'limit'>,
) => exportPages(run, listApiKeyRows, input);
