/** Operations of keys and customers as programs call them, whose input is not what the command line reads. */
import { createHash, randomBytes } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import { OPERATIONS, type Operation, Refusal, runOperation } from '@ceiba/manage';
import { createApiKey, findApiKeys, listCustomers, rotateApiKey } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectKind, givePlan, makeProject } from '../schema/support.ts';
import { useDesk } from './support.ts';

const desk = useDesk();
let projectId: string;

beforeEach(async () => {
  ({ projectId } = await makeProject(desk.ctx));
  await givePlan(desk.ctx, projectId, {});
});

const run = (name: string, input: Record<string, unknown>) => {
  const operation = OPERATIONS.find((each: Operation) => each.name === name) as Operation;
  const by = { kind: 'operator' } as const;
  const call = { ctx: desk.ctx, db: desk.db, by, random: randomBytes };
  return runOperation(operation, call, { projectId, ...input }) as Promise<{ results?: unknown }>;
};

describe('importApiKeys', () => {
  const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const row = (displayName: string) => ({
    digest: digestOf(displayName),
    encoding: 'hex',
    displayName,
    keyPrefix: 'sk_',
  });

  test.each([false, true])(
    'answers each row that is wrong with its field, and imports the others: dry run %s',
    async (dryRun) => {
      const { digest: _, ...noDigest } = row('no digest');
      const apiKeys = [
        row('first'),
        noDigest,
        { ...row('b'), digest: 'x' },
        { ...row('c'), digest: 7 },
        { ...row('d'), nonsense: 1 },
        null,
        { ...row('e'), displayName: '' },
        row('last'),
      ];
      const { results } = await run('importApiKeys', { apiKeys, dryRun });
      const imported = { outcome: 'imported', apiKeyId: expect.any(String) };
      expect(results).toEqual([
        imported,
        { field: 'digest', problem: 'is required' },
        { field: 'digest', problem: 'must be SHA-256, 32 bytes, in its encoding' },
        { field: 'digest', problem: 'must be a string' },
        { field: 'nonsense', problem: 'is not a known field' },
        { field: null, problem: 'must be an object' },
        { field: 'displayName', problem: 'must not be empty' },
        imported,
      ]);
      const { items } = await findApiKeys(desk.db, { projectId, limit: 10 });
      const names = items.map(({ displayName }) => displayName).sort();
      expect(names).toEqual(dryRun ? [] : ['first', 'last']);
    },
  );
});

describe('importCustomers', () => {
  test.each([false, true])(
    'answers each row that is wrong with its field, and creates the others: dry run %s',
    async (dryRun) => {
      const customers = [
        { externalId: 'first' },
        {},
        { externalId: 'a', billingDay: 'soon' },
        { externalId: 'b', nonsense: 1 },
        null,
        { externalId: 'c', plan: 'None' },
        { externalId: 'last' },
      ];
      const { results } = await run('importCustomers', { customers, dryRun });
      expect(results).toEqual([
        'created',
        { field: 'externalId', problem: 'is required' },
        { field: 'billingDay', problem: 'must be a day of the month from 1 to 28' },
        { field: 'nonsense', problem: 'is not a known field' },
        { field: null, problem: 'must be an object' },
        { field: 'plan', problem: 'is not the name of a customer plan of the project' },
        'created',
      ]);
      const { items } = await listCustomers(desk.db, { projectId, filter: {}, limit: 10 });
      const ids = items.map(({ externalId }) => externalId).sort();
      expect(ids).toEqual(dryRun ? [] : ['first', 'last']);
    },
  );
});

describe('endPreviousKeySecret', () => {
  test('that names another secret than the replaced one is refused, and changes nothing', async () => {
    const mint = () => mintApiKey(randomBytes);
    const created = await createApiKey(desk.ctx, { projectId, displayName: 'Job', mint });
    const { apiKeyId, keyPrefix } = expectKind(created, 'created');
    const rotation = { projectId, apiKeyId, keyPrefix, overlapSeconds: 60, mint };
    const { keyPrefix: current } = expectKind(await rotateApiKey(desk.ctx, rotation), 'rotated');
    const refused = await run('endPreviousKeySecret', { apiKeyId, keyPrefix: current }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({ status: 409, code: 'conflict', field: 'keyPrefix' });
    expect(await run('endPreviousKeySecret', { apiKeyId, keyPrefix })).toMatchObject({
      changed: true,
    });
    expect(await run('endPreviousKeySecret', { apiKeyId, keyPrefix })).toMatchObject({
      changed: false,
    });
  });
});
