import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { useBench } from '../support.ts';

const bench = useBench({ maxConnections: 1 });

/** Sends three rows, then the error. */
const FAILS_MIDWAY = 'select 1 / (4 - i) as quotient from generate_series(1, 9) as i';

describe('a query that fails after some of its rows does not corrupt the next result', () => {
  const failMidway = () =>
    expect(bench.db.sql.unsafe(FAILS_MIDWAY)).rejects.toMatchObject({ code: '22012' });

  it('of a template', async () => {
    await failMidway();
    const rows = await bench.db.sql`select i from generate_series(1, 5) as i`;
    expect([...rows]).toEqual([1, 2, 3, 4, 5].map((i) => ({ i })));
    expect(rows.count).toBe(5);
  });

  it('of text with parameters', async () => {
    await failMidway();
    expect([...(await bench.db.sql.unsafe('select $1::int as i', [7]))]).toEqual([{ i: 7 }]);
  });

  it('of Drizzle', async () => {
    await failMidway();
    expect([...(await bench.db.orm.execute(sql`select 1 as i`))]).toEqual([{ i: 1 }]);
  });

  it('in a transaction', async () => {
    await failMidway();
    const rows = await bench.db.sql.begin((tx) => tx`select 1 as i`);
    expect([...rows]).toEqual([{ i: 1 }]);
  });

  it('without rows', async () => {
    await failMidway();
    expect([...(await bench.db.sql`select 1 where false`)]).toEqual([]);
  });
});
