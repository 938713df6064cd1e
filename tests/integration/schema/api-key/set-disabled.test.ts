import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeyRow,
  listAudit,
  revokeApiKey,
  updateApiKey,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, givePlan, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

async function makeActiveKey() {
  const { projectId, ownerId } = await makeProject(bench.ctx);
  return { ...(await makeKey(bench.ctx, projectId)), ownerId };
}

const isDisabled = async (key: { projectId: string; apiKeyId: string }) =>
  (await getApiKeyRow(bench.db, key))?.disabledAt !== null;

describe('disabling a key', () => {
  test('lasts until it is enabled, keeps the status active, and is audited', async () => {
    const key = await makeActiveKey();
    expect(await disableApiKey(bench.ctx, key)).toMatchObject({ kind: 'updated' });
    const disabledAt = expect.stringMatching(/^\d{4}-/);
    expect(await getApiKeyRow(bench.db, key)).toMatchObject({ status: 'active', disabledAt });
    expect(await enableApiKey(bench.ctx, key)).toMatchObject({ kind: 'updated' });
    expect(await isDisabled(key)).toBe(false);
    const { ownerId, projectId, apiKeyId: targetId } = key;
    const { items } = await listAudit(bench.db, {
      ownerId,
      projectId,
      targetIds: [targetId],
      limit: 10,
    });
    expect(items.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['api_key.enable', { disabledAt }, { disabledAt: null }],
      ['api_key.disable', { disabledAt: null }, { disabledAt }],
      ['api_key.create', null, expect.anything()],
    ]);
  });

  test('twice changes nothing the second time, and writes no audit row', async () => {
    const key = await makeActiveKey();
    await disableApiKey(bench.ctx, key);
    const before = await getApiKeyRow(bench.db, key);
    const rows = await countAuditRows(bench.db);
    expect(await disableApiKey(bench.ctx, key)).toMatchObject({ kind: 'unchanged' });
    expect(await getApiKeyRow(bench.db, key)).toEqual(before);
    await enableApiKey(bench.ctx, key);
    expect(await enableApiKey(bench.ctx, key)).toMatchObject({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows + 1);
  });

  test('outlasts a new expiry', async () => {
    const key = await makeActiveKey();
    await disableApiKey(bench.ctx, key);
    await updateApiKey(bench.ctx, { ...key, expiresAt: new Date('2031-01-01Z') });
    expect(await isDisabled(key)).toBe(true);
  });

  test('frees no slot of the plan’s cap', async () => {
    const key = await makeActiveKey();
    await givePlan(bench.ctx, key.projectId, { activeKeyCap: 1 });
    await disableApiKey(bench.ctx, key);
    const another = { projectId: key.projectId, displayName: 'Another' };
    expect(
      await createApiKey(bench.ctx, { ...another, mint: () => mintApiKey(randomBytes) }),
    ).toEqual({
      kind: 'plan_limit_reached',
      activeKeyCap: 1,
      of: 'plan',
    });
  });

  test.each([
    ['revoked', revokeApiKey],
    ['archived', archiveApiKey],
  ] as const)(
    'is a conflict once the key is %s, and does not prevent that',
    async (status, end) => {
      const key = await makeActiveKey();
      await disableApiKey(bench.ctx, key);
      expect(await end(bench.ctx, key)).toMatchObject({ kind: 'updated', apiKey: { status } });
      expect(await enableApiKey(bench.ctx, key)).toEqual({ kind: 'conflict', status });
      expect(await disableApiKey(bench.ctx, key)).toEqual({ kind: 'conflict', status });
    },
  );
});
