import type { Database } from '../connection/database.ts';
import { NotPrimaryError } from '../connection/errors.ts';
import { SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface LeaseRenewal {
  evidence: ServerEvidence;
  /** Whether there was something to commit, and so a commit that could be waited for. */
  isWritten: boolean;
}

/**
 * Writes a Runtime's row as one small commit that waits for the synchronous standby, whatever
 * `synchronous_commit` is elsewhere. The answer comes after the commit. One that was cancelled
 * while it waited is answered as well, with a warning: a notice of any kind means that the
 * standby does not have it.
 *
 * @param id letters and digits alone: the statement goes as one message, whose answer is read only
 *   once the server is done, and takes no parameters
 * @param always also where no standby is waited for
 * @throws NotPrimaryError when the server is in recovery
 */
export async function renewRuntimeLease(
  db: Database,
  { id, always }: { id: string; always: boolean },
): Promise<LeaseRenewal> {
  if (!/^[0-9a-z]+$/.test(id)) throw new TypeError('the id of a lease is letters and digits');
  const [row] = await db.sql
    .unsafe<(ServerEvidence & { isWritten: boolean })[]>(`
      with server as (
        select ${SERVER_EVIDENCE}, set_config('synchronous_commit', 'on', true) as "waits",
          set_config('client_min_messages', 'warning', true) as "warns"
      ), renewed as (
        insert into runtime_leases (id, renewed_at)
        select '${id}', now() from server where server."isSynchronous" or ${always}
        on conflict (id) do update set renewed_at = excluded.renewed_at
        returning 1
      )
      select server.*, exists (select from renewed) as "isWritten" from server`)
    .simple();
  if (row === undefined) throw new Error('the renewal of a lease answered no row');
  const { isWritten, ...evidence } = row;
  if (evidence.inRecovery) throw new NotPrimaryError('the database is in recovery');
  return { evidence, isWritten };
}
