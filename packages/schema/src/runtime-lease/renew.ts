import type { Database } from '../connection/database.ts';
import { NotPrimaryError } from '../connection/errors.ts';
import { SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface LeaseRenewal {
  evidence: ServerEvidence;
  /** Whether something was written, so that the answer followed a commit. */
  isWritten: boolean;
}

/**
 * Writes a Runtime's row as one small commit that waits for the synchronous standby, whatever
 * `synchronous_commit` says. The answer follows the commit. If the wait was cancelled, the answer
 * comes with a warning: a notice of any kind means that the standby does not have the commit.
 *
 * @param id letters and digits only: a statement of the simple protocol takes no parameters, and its
 *   result arrives after the commit
 * @param always whether to write without a synchronous standby too
 * @throws NotPrimaryError when the server is in recovery
 */
export async function renewRuntimeLease(
  db: Database,
  { id, always }: { id: string; always: boolean },
): Promise<LeaseRenewal> {
  if (!/^[0-9a-z]+$/.test(id)) throw new TypeError('the id of a lease has only letters and digits');
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
  if (row === undefined) throw new Error('the renewal of a lease returned no row');
  const { isWritten, ...evidence } = row;
  if (evidence.inRecovery) throw new NotPrimaryError('the database is in recovery');
  return { evidence, isWritten };
}
