import {
  findApiKeys,
  findApiKeysInProjects,
  findCustomersInProjects,
  listCustomers,
  searchApiKeys,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer } from '../customer/support.ts';
import { givePlan, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();
let projectId: string;

/** External ID and name of a customer; name and note of a key. */
const TEXTS: [string, string][] = [
  ['org_42', '株式会社東京'],
  ['shop', 'Alpha'],
  ['ΟΔΟΣ', 'İstanbul'],
  ['50%_\\off', 'Äpfel'],
];

beforeAll(async () => {
  ({ projectId } = await makeProject(bench.ctx));
  await givePlan(bench.ctx, projectId, {});
  for (const [first, second] of TEXTS) {
    await makeCustomer(bench.ctx, projectId, { externalId: first, name: second });
    const { apiKeyId } = await makeKey(bench.ctx, projectId, { displayName: first });
    await bench.db.sql`update api_keys set note = ${second} where id = ${apiKeyId}`;
  }
});

const limit = 10;
const LISTS: Record<string, (text: string) => Promise<(string | undefined)[]>> = {
  customers: async (search) =>
    (await listCustomers(bench.db, { projectId, limit, filter: { search } })).items.map(
      ({ externalId }) => externalId,
    ),
  'customers of several projects': async (text) =>
    (await findCustomersInProjects(bench.db, { projectIds: [projectId], limit, text })).map(
      ({ externalId }) => externalId,
    ),
  'keys of the console': async (text) =>
    (await searchApiKeys(bench.db, { projectId, limit, text })).items.map((key) => key.displayName),
  'keys of several projects': async (text) =>
    (await findApiKeysInProjects(bench.db, { projectIds: [projectId], limit, text })).map(
      ({ displayName }) => displayName,
    ),
};

const FOUND: [text: string, found: string[]][] = [
  ['42', ['org_42']],
  ['G_', ['org_42']],
  ['東京', ['org_42']],
  ['LPH', ['shop']],
  ['p a', []],
  ...TEXTS.flatMap(([first, second]): [string, string[]][] => [
    [first, [first]],
    [second, [first]],
  ]),
  ['%_\\', ['50%_\\off']],
  ['0_', []],
];

describe.each(Object.entries(LISTS))('a search of %s', (_, find) => {
  test.each(FOUND)('for %s finds each text that it is a part of, and no other', async (...row) => {
    const [text, found] = row;
    expect(await find(text)).toEqual(found);
  });
});

test('a search of keys over HTTP finds parts of the name alone', async () => {
  const find = async (search: string) =>
    (await findApiKeys(bench.db, { projectId, limit, search })).items.map((key) => key.displayName);
  expect(await find('42')).toEqual(['org_42']);
  expect(await find('ΟΔΟΣ')).toEqual(['ΟΔΟΣ']);
  expect(await find('İstanbul')).toEqual([]);
});
