import 'server-only';
import type { Database } from '@ceiba/schema';
import { Pool } from './pool.ts';

/**
 * A session is read over connections of its own: it must not wait for what its user asks,
 * and the share of a user cannot be known before.
 */
const pool = new Pool(2, 3_000);

/** Runs work that takes a millisecond within the time budget of a page, outside of all shares. */
export function withSessionDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return pool.run(work);
}
