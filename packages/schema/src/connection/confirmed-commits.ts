import type postgres from 'postgres';
import { UnconfirmedCommitError } from './errors.ts';
import type { Begin, Run } from './lost-connection.ts';

/**
 * The routine whose warning says that a commit stopped waiting for its synchronous standby: it
 * succeeded, and is lost if that standby is promoted.
 *
 * @see https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION-HA
 */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

/** Without it, a database whose `client_min_messages` is `error` confirms such a commit. */
const HEARS_WARNINGS = 'set local client_min_messages = warning';

/** Counts the commits of a pool that no standby confirmed. */
export class UnconfirmedCommits {
  count = 0;

  notice({ routine }: postgres.Notice): void {
    if (routine === WAIT_FOR_STANDBY) this.count += 1;
  }
}

/**
 * Makes a transaction reject with {@link UnconfirmedCommitError} when its commit stopped waiting for
 * the standby. A warning does not name its transaction, so all that commit at that moment reject.
 */
export function withConfirmedCommits(sql: postgres.Sql, commits: UnconfirmedCommits): postgres.Sql {
  const begin = sql.begin.bind(sql) as Begin;
  const confirmed: Begin = async (...args) => {
    const run = args.pop() as Run;
    let before = 0;
    const result = await begin(...args, async (tx) => {
      // Not a setting of the session, which PgBouncer refuses. Sent along with the first statement.
      tx.unsafe(HEARS_WARNINGS).execute();
      const value = await run(tx);
      before = commits.count;
      return value;
    });
    if (commits.count > before) throw new UnconfirmedCommitError('no standby confirmed the commit');
    return result;
  };
  return Object.assign(sql, { begin: confirmed });
}
