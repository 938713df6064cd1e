import { NoLeaseError, NotPrimaryError } from './errors.ts';

/** What a statement reports about the server that ran it. */
export interface ServerEvidence {
  inRecovery: boolean;
  /** When the server started, to the microsecond: unique in a cluster. */
  server: string;
  /** Whether its commits wait for a standby. */
  isSynchronous: boolean;
}

/**
 * The columns of {@link ServerEvidence}, in its order. Every statement that serves a decision
 * selects them and returns at least one row, also when it finds nothing: behind a load balancer or
 * after a failover, a check at connect says nothing about the server that answers later (rule
 * primary-only).
 */
export const SERVER_EVIDENCE = `
  pg_is_in_recovery() as "inRecovery",
  (select extract(epoch from pg_postmaster_start_time())::text) as "server",
  (select current_setting('synchronous_standby_names') <> '') as "isSynchronous"`;

/** Knows which server has proven that it still is the primary; see the Runtime's `lease.ts`. */
export interface Fence {
  /** `elsewhere`: another server has proven it. */
  judge(evidence: ServerEvidence): 'trusted' | 'expired' | 'elsewhere';
}

/**
 * @param row any row of the answer
 * @throws NotPrimaryError when a standby answered, or another server is known to be the primary;
 *   NoLeaseError when no server has proven lately that it is (rule primary-lease)
 */
export function requirePrimary(
  { fence }: { fence?: Fence },
  row: ServerEvidence | undefined,
): void {
  if (row?.inRecovery !== false) throw new NotPrimaryError('the database is in recovery');
  const finding = fence?.judge(row) ?? 'trusted';
  if (finding === 'elsewhere') throw new NotPrimaryError('another server holds the lease');
  if (finding === 'expired') throw new NoLeaseError('no server has acknowledged a commit lately');
}
