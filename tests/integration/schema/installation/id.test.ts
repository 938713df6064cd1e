import { createDatabase, readInstallationId, setRetention } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { useBench } from '../support.ts';

const bench = useBench();

beforeEach(async () => {
  await bench.db.sql`delete from settings`;
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("the installation's ID", () => {
  test('is the same for all replicas that read it first at the same moment', async () => {
    const replicas = Array.from({ length: 8 }, () =>
      createDatabase(bench.url, { maxConnections: 1, connectTimeoutSeconds: 20 }),
    );
    try {
      const read = await Promise.all(replicas.map(readInstallationId));
      expect(new Set(read).size).toBe(1);
      expect(read[0]).toMatch(UUID);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  test('stays when settings change, and is there once something was set', async () => {
    await setRetention(bench.ctx, { usageDays: 400 });
    const id = await readInstallationId(bench.db);
    await setRetention(bench.ctx, { usageDays: 500 });
    expect(await readInstallationId(bench.db)).toBe(id);
    expect(id).toMatch(UUID);
  });
});
