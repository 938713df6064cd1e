import { IMPORTED_KEYS_PER_CALL } from '@ceiba/manage';
import { expect, test } from 'vitest';
import { importRows } from './import.ts';
import type { KeyRow } from './rows.ts';

test('a call of a dry run has the places that its own customers have taken, and the sum of all others', async () => {
  const key = { encoding: 'hex', displayName: 'One', keyPrefix: 'sk_' } as const;
  const rowOf = (at: number, externalCustomerId: string | null): KeyRow => ({
    row: at,
    name: 'One',
    parsed: { ...key, digest: at.toString(16).padStart(64, '0'), externalCustomerId },
    leftOut: [],
  });
  const full = Array.from({ length: IMPORTED_KEYS_PER_CALL }, (_, at) => rowOf(at, `c${at % 9}`));
  const rows = [...full, rowOf(full.length, 'c0'), rowOf(full.length + 1, null)];
  const calls: { before?: unknown }[] = [];
  const perform = async (_: unknown, input: { apiKeys: unknown[]; before?: unknown }) => {
    calls.push(input);
    return { results: input.apiKeys.map(() => ({ outcome: 'imported', apiKeyId: '' })) };
  };
  const input = { projectId: '', rows, isDryRun: true, onProgress: () => {} };
  await importRows(perform as never, input);
  const ofFirst = full.filter((_, at) => at % 9 === 0).length;
  expect(calls.map(({ before }) => before)).toEqual([
    {},
    { c0: ofFirst, '': full.length - ofFirst },
  ]);
});
