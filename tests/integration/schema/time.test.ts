/** The number of a month is computed in TypeScript, in SQL and in `charge.lua`. */
import { monthOf } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { monthNumber } from '../../../packages/schema/src/time.ts';
import { useBench } from './support.ts';

const bench = useBench();

it.each([
  '1999-12-31T23:59:59.999Z',
  '2000-01-01T00:00:00.000Z',
  '2024-02-29T23:59:59.999Z',
  '2024-03-01T00:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
])('the month of %s has the same number in SQL, in any time zone of the session', async (text) => {
  const at = new Date(text);
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const number = await bench.db.orm.transaction(async (tx) => {
      await tx.execute(sql`select set_config('timezone', ${zone}, true)`);
      const rows = await tx.execute<{ month: number }>(
        sql`select ${monthNumber(sql`${text}::timestamptz`)} as month`,
      );
      return rows[0]?.month;
    });
    expect(number).toBe(monthOf(at));
  }
});
