import { NoLeaseError, NotPrimaryError } from './errors.ts';

/** What a statement says of the server that ran it. */
export interface ServerEvidence {
  inRecovery: boolean;
  /** When the server started, to the microsecond: no two servers of a cluster share it. */
  server: string;
  /** Whether its commits wait for a standby. */
  isSynchronous: boolean;
}

/**
 * The columns of {@link ServerEvidence}. Every statement that serves a decision selects them in the
 * same statement that reads, in at least one row, also where it finds nothing: a check when the
 * connection is made says nothing of the server that answers later, behind a balancer or after a
 * failover (consistency rule 25).
 */
export const SERVER_EVIDENCE = `
  pg_is_in_recovery() as "inRecovery",
  (select extract(epoch from pg_postmaster_start_time())::text) as "server",
  (select current_setting('synchronous_standby_names') <> '') as "isSynchronous"`;

/** Which server has proven lately that it is still the primary; see the Runtime's `lease.ts`. */
export interface Fence {
  /** `elsewhere`: another server has proven it. */
  judge(evidence: ServerEvidence): 'trusted' | 'expired' | 'elsewhere';
}

/**
 * @param row any row of the answer
 * @throws NotPrimaryError unless the row says that a primary answered, and when another server is
 *   known to be it; NoLeaseError when none has proven lately that it is (rule 27)
 */
export function requirePrimary(
  { fence }: { fence?: Fence },
  row: ServerEvidence | undefined,
): void {
  if (row?.inRecovery !== false) throw new NotPrimaryError('the database is in recovery');
  const verdict = fence?.judge(row) ?? 'trusted';
  if (verdict === 'elsewhere') throw new NotPrimaryError('another server holds the lease');
  if (verdict === 'expired') throw new NoLeaseError('no server has acknowledged a commit lately');
}
