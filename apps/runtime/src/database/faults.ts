import { NotPrimaryError, postgresFault } from '@ceiba/schema';

/**
 * What a fault says of the connection it came over. `statement`: the server is well and judged
 * this statement; `busy`: it is well and stopped the statement for its time; `connection`: there
 * is no use in that connection any more.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function kindOfFault(fault: unknown): 'statement' | 'busy' | 'connection' {
  if (fault instanceof NotPrimaryError) return 'connection';
  const code = postgresFault(fault)?.code;
  if (code === undefined) return 'connection';
  if (BUSY.has(code)) return 'busy';
  return LOST_CLASSES.has(code.slice(0, 2)) ? 'connection' : 'statement';
}

/** query_canceled (what statement_timeout raises), lock_not_available. */
const BUSY = new Set(['57014', '55P03']);
/** Connection exceptions, read-only transactions, insufficient resources, operator intervention. */
const LOST_CLASSES = new Set(['08', '25', '53', '57']);
