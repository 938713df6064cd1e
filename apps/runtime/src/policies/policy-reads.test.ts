import { describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import { PolicyReads, type ReadPolicyLists } from './policy-reads.ts';

const listOf = (projectId: string) => ({ revision: `r of ${projectId}`, policies: [] });

const listsOf: ReadPolicyLists = async (projectIds) =>
  new Map(projectIds.map((projectId) => [projectId, listOf(projectId)]));

const settled = (reads: Promise<unknown>[]) =>
  Promise.allSettled(reads).then((results) => results.map(({ status }) => status));

describe('policy lists', () => {
  it('that are asked for while a statement is under way share the next one', async () => {
    const read = vi.fn(listsOf);
    const reads = new PolicyReads(read);
    const first = reads.of('a');
    await Promise.resolve(); // a's statement is under way
    expect(await Promise.all([first, reads.of('b'), reads.of('c')])).toEqual(
      ['a', 'b', 'c'].map(listOf),
    );
    expect(read.mock.calls).toEqual([[['a']], [['b', 'c']]]);
  });

  it('are read in statements of at most 256 projects', async () => {
    const read = vi.fn(listsOf);
    const reads = new PolicyReads(read);
    const projectIds = Array.from({ length: 600 }, (_, index) => `p${index}`);
    const lists = await Promise.all(projectIds.map((projectId) => reads.of(projectId)));
    expect(lists).toEqual(projectIds.map(listOf));
    expect(read.mock.calls.map(([some]) => some.length)).toEqual([256, 256, 88]);
  });

  it('are null for a project that does not exist', async () => {
    expect(await new PolicyReads(async () => new Map()).of('a')).toBeNull();
  });

  it('are each read alone when Postgres rejects the statement', async () => {
    const reads = new PolicyReads(async (projectIds) => {
      if (projectIds.includes('bad')) throw new Error('this one cannot be read');
      return listsOf(projectIds);
    });
    const all = ['good', 'bad', 'fine'].map((projectId) => reads.of(projectId));
    expect(await settled(all)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('all fail, without another statement, when Postgres cannot be reached', async () => {
    const read = vi.fn<ReadPolicyLists>().mockRejectedValue(new UnavailableError('database', ''));
    const reads = new PolicyReads(read);
    expect(await settled([reads.of('a'), reads.of('b')])).toEqual(['rejected', 'rejected']);
    expect(read).toHaveBeenCalledOnce();
  });
});
