import postgres from 'postgres';
import { expect, it } from 'vitest';

import { createTestDatabase } from '../support/database.ts';

it('createTestDatabase gives each caller a migrated database of its own, also in parallel', async () => {
  const databases = await Promise.all(Array.from({ length: 12 }, createTestDatabase));
  expect(new Set(databases.map(({ url }) => url)).size).toBe(12);
  for (const { url, drop } of databases) {
    const sql = postgres(url, { max: 1 });
    const tables = await sql`select from pg_tables where schemaname = 'public'`;
    expect(tables.length).toBeGreaterThan(5);
    await sql.end();
    await drop();
    const gone = postgres(url, { max: 1 });
    await expect(gone`select 1`).rejects.toMatchObject({ code: '3D000' });
    await gone.end();
  }
});
