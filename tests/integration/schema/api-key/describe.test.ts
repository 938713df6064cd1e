import { describeApiKey, getApiKeyRow, listAudit, revokeApiKey } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();

describe('the name and the note of a key', () => {
  test('are changed one by one and audited, for a revoked key too', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId, { displayName: 'Old' });
    await revokeApiKey(bench.ctx, key);
    await describeApiKey(bench.ctx, { ...key, note: 'Two\nlines' });
    await describeApiKey(bench.ctx, { ...key, displayName: 'New' });
    expect(await getApiKeyRow(bench.db, key)).toMatchObject({
      displayName: 'New',
      note: 'Two\nlines',
      status: 'revoked',
    });
    const audit = { ownerId, projectId, targetIds: [key.apiKeyId], limit: 1 };
    expect((await listAudit(bench.db, audit)).items).toMatchObject([
      {
        action: 'api_key.update',
        target: { label: 'New' },
        before: { displayName: 'Old', note: 'Two\nlines' },
        after: { displayName: 'New', note: 'Two\nlines' },
      },
    ]);
  });

  test('that do not change write no audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId, { displayName: 'Same' });
    const rows = await countAuditRows(bench.db);
    const same = { ...key, displayName: 'Same', note: '' };
    expect(await describeApiKey(bench.ctx, same)).toEqual({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('that break a rule are refused with their fields, and nothing is changed', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId, { displayName: 'Same' });
    const rows = await countAuditRows(bench.db);
    const problems = [
      { field: 'displayName', rule: 'must not be empty' },
      { field: 'note', rule: 'must not hold NUL or lone surrogates' },
    ];
    await expect(
      describeApiKey(bench.ctx, { ...key, displayName: ' ', note: 'a\0b' }),
    ).rejects.toMatchObject({ name: 'InvalidInputError', problems });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });
});
