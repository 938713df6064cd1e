import { NotPrimaryError } from './faults.ts';

/** What a statement says of the server that ran it. */
export interface ServerEvidence {
  inRecovery: boolean;
}

/**
 * The columns of {@link ServerEvidence}. Every statement that serves a decision selects them in the
 * same statement that reads, in at least one row, also where it finds nothing: a check when the
 * connection is made says nothing of the server that answers later, behind a balancer or after a
 * failover (consistency rule 25).
 */
export const SERVER_EVIDENCE = `pg_is_in_recovery() as "inRecovery"`;

/**
 * @param row any row of the answer
 * @throws NotPrimaryError unless the row says that a primary answered
 */
export function requirePrimary(row: ServerEvidence | undefined): void {
  if (row?.inRecovery !== false) throw new NotPrimaryError('the database is in recovery');
}
