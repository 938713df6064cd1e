import { describe, expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { SeedReader } from './seeds.ts';

const item = (scope: string) => ({ projectId: 'p', month: 1, scope });
const soon = () => new Deadline(500);

/** Reads that a test answers one by one; each total is the length of its scope. */
function heldReads() {
  const reads: { scopes: string[]; answer: () => void }[] = [];
  const reader = new SeedReader(
    (items) =>
      new Promise((resolve) => {
        const scopes = items.map(({ scope }) => scope);
        reads.push({ scopes, answer: () => resolve(scopes.map((scope) => scope.length)) });
      }),
  );
  return { reads, reader };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reading seeds', () => {
  it('lets what arrives during a read share the next one, each item once', async () => {
    const { reads, reader } = heldReads();
    const first = reader.read([item('project')], soon());
    await turn();
    const second = reader.read([item('project'), item('kk')], soon());
    const third = reader.read([item('kk'), item('kkk')], soon());
    await turn();
    expect(reads.map(({ scopes }) => scopes)).toEqual([['project']]);
    reads[0]?.answer();
    expect(await first).toEqual([7]);
    await turn();
    expect(reads.map(({ scopes }) => scopes)).toEqual([['project'], ['project', 'kk', 'kkk']]);
    reads[1]?.answer();
    expect(await second).toEqual([7, 2]);
    expect(await third).toEqual([2, 3]);
  });

  it('fails those who waited for a read that failed, and reads again for the next', async () => {
    let down = true;
    const reader = new SeedReader(async (items) => {
      if (down) throw new Error('connection lost');
      return items.map(() => 1);
    });
    const fault = await reader.read([item('k')], soon()).catch((fault) => fault);
    expect(fault).toBeInstanceOf(UnavailableError);
    expect(fault).toMatchObject({ dependency: 'database' });
    down = false;
    expect(await reader.read([item('k')], soon())).toEqual([1]);
  });

  it('is not held up for good by a read that never ends', async () => {
    let reads = 0;
    const reader = new SeedReader(async (items) => {
      reads += 1;
      return reads === 1 ? new Promise<never>(() => {}) : items.map(() => 1);
    });
    await expect(reader.read([item('k')], new Deadline(20))).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(await reader.read([item('k')], soon())).toEqual([1]);
  });

  it.each([[[]], [[1, 2]], [[-1]], [[1.5]], [[Number.NaN]]])(
    'trusts no answer like %j',
    async (answer) => {
      const reader = new SeedReader(async () => answer);
      await expect(reader.read([item('k')], soon())).rejects.toBeInstanceOf(UnavailableError);
    },
  );
});
