import type { Logger } from '@ceiba/process/log';
import type { Database } from '@ceiba/schema';

/** What runs in the background: verbs within the time budget of a pool, and where its errors go. */
export interface BackgroundOptions {
  run: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}
