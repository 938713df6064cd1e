import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Actor, Database, VerbContext } from '@ceiba/schema';
import { headers } from 'next/headers';
import { cache } from 'react';
import { env } from '../env.ts';
import { clientAddress } from './client-address.ts';
import { withDatabase } from './database.ts';

/** What a verb needs. `db` is the pool, so that independent reads can run at the same time. */
export interface DatabaseContext extends VerbContext {
  db: Database;
  /** The browser's `User-Agent`. */
  userAgent: string | null;
}

/**
 * Runs verbs within the database's time budget. Anything else that takes time, such as hashing a
 * password, stays outside: it would hold a connection and count as a database outage.
 */
export type InDatabase = <T>(work: (ctx: DatabaseContext) => Promise<T>) => Promise<T>;

/** Runs verbs for this request; the audit log records the actor, and each change checks the right. */
export function inDatabaseAs(actor: Actor, requires?: VerbContext['requires']): InDatabase {
  return async (work) => {
    const origin = await requestOrigin();
    const right = requires === undefined ? {} : { requires };
    return withDatabase((db) => work({ db, actor, ...right, ...origin }));
  };
}

/** Recorded in the audit log, and the key of rate limits. */
const requestOrigin = cache(async () => {
  const sent = await headers();
  return {
    clientAddress: clientAddress(sent, env().trustedProxyHops),
    userAgent: sent.get('user-agent'),
    requestId: randomUUID(),
  };
});
