import { sql } from 'drizzle-orm';
import { subscriptions } from '../tables.ts';
import { toMs } from '../usage/decisions.ts';

/**
 * When the period ends, asked for as a number: the text that Postgres writes of a year before 100
 * is no instant to `Date`, and such a row has to be read to be mended.
 */
export const periodEndColumn = sql`${toMs(sql`${subscriptions.currentPeriodEnd}`)}`.mapWith(
  (ms: number): Date | null => new Date(Math.round(ms)),
);
