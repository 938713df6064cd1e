import type { PolicyPage } from '@ceiba/schema';
import { describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import { PolicyReads, type PolicySource } from './policy-reads.ts';

const pageOf = (projectId: string): PolicyPage => ({
  revision: `r of ${projectId}`,
  policies: [],
  next: null,
});

const firstPages: PolicySource['first'] = async (projectIds) =>
  new Map(projectIds.map((projectId) => [projectId, pageOf(projectId)]));

/** Reads of lists that have one page each. */
const readsOf = (first: PolicySource['first']) =>
  new PolicyReads({ first, further: () => Promise.reject(new Error('there is one page')) });

const settled = (reads: Promise<unknown>[]) =>
  Promise.allSettled(reads).then((results) => results.map(({ status }) => status));

describe('policy lists', () => {
  it('that are asked for while a statement is under way share the next one', async () => {
    const first = vi.fn(firstPages);
    const reads = readsOf(first);
    const a = reads.of('a');
    await Promise.resolve(); // a's statement is under way
    const lists = await Promise.all([a, reads.of('b'), reads.of('c')]);
    expect(lists.map((list) => list?.revision)).toEqual(['r of a', 'r of b', 'r of c']);
    expect(first.mock.calls).toEqual([[['a']], [['b', 'c']]]);
  });

  it('are read in statements of at most 256 projects', async () => {
    const first = vi.fn(firstPages);
    const reads = readsOf(first);
    const projectIds = Array.from({ length: 600 }, (_, index) => `p${index}`);
    const lists = await Promise.all(projectIds.map((projectId) => reads.of(projectId)));
    expect(lists.map((list) => list?.revision)).toEqual(projectIds.map((id) => `r of ${id}`));
    expect(first.mock.calls.map(([some]) => some.length)).toEqual([256, 256, 88]);
  });

  it('are null for a project that does not exist', async () => {
    expect(await readsOf(async () => new Map()).of('a')).toBeNull();
  });

  it('are each read alone when Postgres rejects the statement', async () => {
    const reads = readsOf(async (projectIds) => {
      if (projectIds.includes('bad')) throw new Error('this one cannot be read');
      return firstPages(projectIds);
    });
    const all = ['good', 'bad', 'fine'].map((projectId) => reads.of(projectId));
    expect(await settled(all)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('all fail, without another statement, when Postgres cannot be reached', async () => {
    const first = vi
      .fn<PolicySource['first']>()
      .mockRejectedValue(new UnavailableError('database', ''));
    const reads = readsOf(first);
    expect(await settled([reads.of('a'), reads.of('b')])).toEqual(['rejected', 'rejected']);
    expect(first).toHaveBeenCalledOnce();
  });
});

/** A project's list of three pages, whose revision a test can change. */
function longList() {
  const state = { revision: 'r1', asked: [] as string[] };
  const paths = ['/a', '/b', '/c'];
  const page = (index: number): PolicyPage => {
    const pathPattern = paths[index] ?? '';
    return {
      revision: state.revision,
      policies: [{ policyId: pathPattern, method: 'GET', pathPattern, scopes: null, cost: 1 }],
      next: index < paths.length - 1 ? { method: 'GET', pathPattern } : null,
    };
  };
  const source: PolicySource = {
    first: async (projectIds) => {
      state.asked.push(`first of ${projectIds}`);
      return new Map(projectIds.map((projectId) => [projectId, page(0)]));
    },
    further: async (projectId, { pathPattern }) => {
      state.asked.push(`${projectId} after ${pathPattern}`);
      return page(paths.indexOf(pathPattern) + 1);
    },
  };
  return { state, source, paths };
}

describe('a long list (rule policy-pages)', () => {
  it('is whole, although it is read page by page', async () => {
    const { source, paths } = longList();
    const list = await new PolicyReads(source).of('p');
    expect(list).toMatchObject({ revision: 'r1', size: 3 });
    for (const path of paths) expect(list?.matcher.match('GET', path)?.policyId).toBe(path);
    expect(list?.matcher.match('GET', '/d')).toBeNull();
  });

  it('alternates with the other long lists, one page at a time', async () => {
    const { state, source } = longList();
    const reads = new PolicyReads(source);
    await Promise.all([reads.of('p'), reads.of('q')]);
    expect(state.asked).toEqual([
      'first of p,q',
      'p after /a',
      'q after /a',
      'p after /b',
      'q after /b',
    ]);
  });

  it('that changes meanwhile is read again from its first page, so that it is no mixture', async () => {
    const { state, source } = longList();
    const further = vi.fn(source.further).mockImplementationOnce(async (projectId, after) => {
      const page = await source.further(projectId, after);
      state.revision = 'r2';
      return page;
    });
    const list = await new PolicyReads({ ...source, further }).of('p');
    expect(list).toMatchObject({ revision: 'r2', size: 3 });
    expect(state.asked.filter((asked) => asked === 'first of p')).toHaveLength(2);
  });

  it('that keeps changing fails alone', async () => {
    const { state, source } = longList();
    let changes = 0;
    const further: PolicySource['further'] = (projectId, after) => {
      changes += 1;
      state.revision = `r${changes}`;
      return source.further(projectId, after);
    };
    await expect(new PolicyReads({ ...source, further }).of('p')).rejects.toThrow(UnavailableError);
    expect(changes).toBeLessThan(10);
  });

  it('of more than 100,000 policies allows nothing, and is not read to its end', async () => {
    const { source } = longList();
    let pages = 0;
    const further: PolicySource['further'] = async () => {
      pages += 1;
      const policies = Array.from({ length: 1_000 }, (_, n) => ({
        policyId: `${pages}-${n}`,
        method: 'GET',
        pathPattern: `/${pages}/${n}`,
        scopes: null,
        cost: 1,
      }));
      return { revision: 'r1', policies, next: { method: 'GET', pathPattern: `/${pages}` } };
    };
    const list = await new PolicyReads({ ...source, further }).of('p');
    expect(() => list?.matcher.match('GET', '/1/1')).toThrow(UnavailableError);
    expect(pages).toBe(100);
  });
});
