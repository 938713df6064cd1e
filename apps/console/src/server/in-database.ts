import 'server-only';
import type { Actor, Database, VerbContext } from '@ceiba/schema';
import { withDatabase } from './database.ts';
import { requestContext } from './request-context.ts';

/** What verbs are given, on the whole pool: reading may need more of it than changing does. */
export interface DatabaseContext extends VerbContext {
  db: Database;
}

/**
 * Runs verbs within the time that the database is given. What waits for something else, such as a
 * processor that hashes a password, stays outside: it must neither hold a connection nor pass for
 * a database that does not answer.
 */
export type InDatabase = <T>(work: (ctx: DatabaseContext) => Promise<T>) => Promise<T>;

/** Turns in the database for the request at hand, of which the audit log names the actor. */
export function inDatabaseAs(actor: Actor): InDatabase {
  return async (work) => {
    const context = await requestContext();
    return withDatabase((db) => work({ db, actor, ...context }));
  };
}
