import { statusesThatCount } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';

/** As a literal, so that the index of active keys serves it. */
const counting = statusesThatCount()
  .map((status) => `'${status}'`)
  .join(', ');

/**
 * Whether a key counts against its plan's cap.
 *
 * @param table the name or alias of `api_keys` in the statement
 */
export const countsAgainstCap = (table: string): SQL => sql.raw(`${table}.status in (${counting})`);
