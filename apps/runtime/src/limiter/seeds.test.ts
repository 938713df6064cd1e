import { describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { SeedReader } from './seeds.ts';

const item = (scope: string) => ({ projectId: 'p', number: 1, scope });
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
  it('shares the next read among requests that arrive during a read, each item once', async () => {
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

  it('fails every request of a failed read, and reads again for the next one', async () => {
    let down = true;
    const reader = new SeedReader(async (items) => {
      if (down) throw new Error('connection lost');
      return items.map(() => 1);
    });
    await expect(reader.read([item('k')], soon())).rejects.toMatchObject({
      name: 'UnavailableError',
      dependency: 'database',
      message: 'the totals of usage could not be read',
      cause: new Error('connection lost'),
    });
    down = false;
    expect(await reader.read([item('k')], soon())).toEqual([1]);
  });

  it('is not blocked by a read that never ends', async () => {
    let reads = 0;
    const reader = new SeedReader(async (items) => {
      reads += 1;
      return reads === 1 ? new Promise<never>(() => {}) : items.map(() => 1);
    });
    await expect(reader.read([item('k')], new Deadline(20))).rejects.toThrow(
      expect.objectContaining({ dependency: 'database' }),
    );
    expect(await reader.read([item('k')], soon())).toEqual([1]);
  });

  it.each([
    [500, 900],
    [900, 500],
  ])('ends a shared read by the latest deadline of its requests: %i and %i ms', async (...ms) => {
    vi.useFakeTimers();
    try {
      const reader = new SeedReader(
        () => new Promise((resolve) => setTimeout(() => resolve([1, 1]), 700)),
      );
      const reads = ms.map((totalMs, index) =>
        reader.read([item(`${index}`)], new Deadline(totalMs, () => 0)),
      );
      const outcomes = Promise.allSettled(reads);
      await vi.advanceTimersByTimeAsync(900);
      const expected = ms.map((totalMs) => (totalMs > 700 ? 'fulfilled' : 'rejected'));
      expect((await outcomes).map(({ status }) => status)).toEqual(expected);
    } finally {
      vi.useRealTimers();
    }
  });

  it('passes on an outage that the database reports', async () => {
    const outage = new UnavailableError('database', 'a standby answered');
    const reader = new SeedReader(() => Promise.reject(outage));
    await expect(reader.read([item('k')], soon())).rejects.toBe(outage);
  });

  it('accepts a total of zero', async () => {
    const reader = new SeedReader(async () => [0]);
    expect(await reader.read([item('k')], soon())).toEqual([0]);
  });

  it.each([[[]], [[1]], [[1, 2, 3]], [[1, -1]], [[1.5, 1]], [[1, Number.NaN]]])(
    'rejects an answer like %j to two items',
    async (answer) => {
      const reader = new SeedReader(async () => answer);
      await expect(reader.read([item('a'), item('b')], soon())).rejects.toMatchObject({
        dependency: 'database',
        cause: new Error('the totals are not one count for each item'),
      });
    },
  );
});
