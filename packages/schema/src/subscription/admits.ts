import { statusesThatAdmit } from '@ceiba/domain';

const admitting = statusesThatAdmit()
  .map((status) => `'${status}'`)
  .join(', ');

/**
 * The SQL condition under which a subscription allows requests: by its status, and its period is not
 * over by the database's clock (rule database-time).
 *
 * @param alias of the table in the statement that has the subscription
 * @param status the name of the column with its status
 */
export const admitsNow = (alias: string, status = 'status') =>
  `(${alias}.${status} in (${admitting})
    and (${alias}.current_period_end is null or ${alias}.current_period_end > now()))`;
