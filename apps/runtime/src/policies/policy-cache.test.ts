import { compilePolicies, type PolicyFacts } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { PolicyCache } from './policy-cache.ts';
import type { CompiledPolicies } from './policy-reads.ts';

const PROJECT = '01960000-0000-7000-8000-000000000001';

const compiled = (revision: string, policies: PolicyFacts[]): CompiledPolicies => ({
  revision,
  matcher: compilePolicies(policies),
  size: policies.length,
});

/** A list with one policy, for the path that is given. */
const listOf = (revision: string, path: string) =>
  compiled(revision, [
    { policyId: revision, method: 'GET', pathPattern: path, scopes: null, cost: 1 },
  ]);

/** A cache whose loads the test completes. */
function setUp() {
  const loads: {
    projectId: string;
    end: (list: CompiledPolicies | null) => void;
    fail: (error: Error) => void;
  }[] = [];
  const clock = { ms: 0 };
  const cache = new PolicyCache(
    (projectId) =>
      new Promise((end, fail) => {
        loads.push({ projectId, end, fail });
      }),
    () => clock.ms,
  );
  return { cache, loads, clock };
}

/** Lets every promise that can settle do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const matches = async (
  matcher: ReturnType<PolicyCache['matcherFor']>,
  path: string,
): Promise<boolean> => (await matcher).match('GET', path) !== null;

describe('a cached list', () => {
  it('serves every decision whose lookup returned its revision, with one load', async () => {
    const { cache, loads } = setUp();
    const first = cache.matcherFor(PROJECT, 'r1');
    const beside = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end(listOf('r1', '/a'));
    expect(await matches(first, '/a')).toBe(true);
    expect(await matches(beside, '/a')).toBe(true);
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/a')).toBe(true);
    expect(loads).toHaveLength(1);
  });

  it('is loaded again before it is too old if it is long, and serves meanwhile', async () => {
    const { cache, loads, clock } = setUp();
    const long = (path: string) => ({ ...listOf('r1', path), size: 101 });
    const first = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end(long('/a'));
    await first;
    clock.ms = 2_999;
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/a')).toBe(true);
    expect(loads).toHaveLength(1);
    clock.ms = 3_000;
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/a')).toBe(true);
    }
    expect(loads).toHaveLength(2);
    loads[1]?.end(long('/b'));
    await settled();
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/b')).toBe(true);
  });

  it('that could not be loaded again is used no longer than any other', async () => {
    const { cache, loads, clock } = setUp();
    const first = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end({ ...listOf('r1', '/a'), size: 101 });
    await first;
    clock.ms = 3_000;
    await cache.matcherFor(PROJECT, 'r1');
    loads[1]?.fail(new Error('away'));
    await settled();
    clock.ms = 5_000;
    const late = cache.matcherFor(PROJECT, 'r1');
    loads.at(-1)?.fail(new Error('away'));
    await expect(late).rejects.toThrow('away');
  });

  it('is kept regardless of its length', async () => {
    const { cache, loads } = setUp();
    const first = cache.matcherFor(PROJECT, 'r1');
    const policies = Array.from({ length: 100_001 }, (_, index) => ({
      policyId: `p${index}`,
      method: 'GET',
      pathPattern: `/${index}`,
      scopes: null,
      cost: 1,
    }));
    loads[0]?.end(compiled('r1', policies));
    expect(await matches(first, '/100000')).toBe(true);
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/7')).toBe(true);
    expect(loads).toHaveLength(1);
  });

  it('serves no decision whose lookup returned another revision (rule policy-revision)', async () => {
    const { cache, loads } = setUp();
    const before = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end(listOf('r1', '/a'));
    await before;

    const after = cache.matcherFor(PROJECT, 'r2');
    expect(loads).toHaveLength(2);
    loads[1]?.end(listOf('r2', '/b'));
    expect(await matches(after, '/a')).toBe(false);
    expect(await matches(after, '/b')).toBe(true);
  });

  it('is loaded again for an older revision, which a restored database can have', async () => {
    const { cache, loads } = setUp();
    for (const revision of ['r1', 'r2', 'r1']) {
      const matcher = cache.matcherFor(PROJECT, revision);
      loads.at(-1)?.end(listOf(revision, `/${revision}`));
      expect(await matches(matcher, `/${revision}`)).toBe(true);
    }
    expect(loads).toHaveLength(3);
  });

  it('never serves another project', async () => {
    const { cache, loads } = setUp();
    const mine = cache.matcherFor(PROJECT, 'r1');
    const other = cache.matcherFor('01960000-0000-7000-8000-000000000002', 'r1');
    expect(loads.map(({ projectId }) => projectId)).toEqual([
      PROJECT,
      '01960000-0000-7000-8000-000000000002',
    ]);
    loads[0]?.end(listOf('r1', '/mine'));
    loads[1]?.end(listOf('r1', '/other'));
    expect(await matches(mine, '/mine')).toBe(true);
    expect(await matches(other, '/mine')).toBe(false);
  });
});

describe('a list whose revision no trigger changes', () => {
  it('serves for five seconds after its load began, then it is read again (rule policy-age)', async () => {
    const { cache, loads, clock } = setUp();
    const before = cache.matcherFor(PROJECT, 'r1');
    clock.ms = 300; // the answer took its time
    loads[0]?.end(listOf('r1', '/removed'));
    await before;
    clock.ms = 4_999;
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/removed')).toBe(true);
    expect(loads).toHaveLength(1);

    clock.ms = 5_000;
    const after = cache.matcherFor(PROJECT, 'r1');
    loads[1]?.end(listOf('r1', '/kept'));
    expect(await matches(after, '/removed')).toBe(false);
    expect(await matches(cache.matcherFor(PROJECT, 'r1'), '/kept')).toBe(true);
    expect(loads).toHaveLength(2);
  });

  it('serves no decision while it cannot be read again', async () => {
    const { cache, loads, clock } = setUp();
    const before = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end(listOf('r1', '/a'));
    await before;
    clock.ms = 5_000;
    const refused = Promise.resolve(cache.matcherFor(PROJECT, 'r1'));
    loads[1]?.fail(new Error('connection lost'));
    await expect(refused).rejects.toThrow('connection lost');
    void cache.matcherFor(PROJECT, 'r1');
    expect(loads).toHaveLength(3);
  });
});

describe('a load that is under way', () => {
  it('serves no decision whose lookup returned later, unless the revision is equal', async () => {
    const { cache, loads } = setUp();
    const early = cache.matcherFor(PROJECT, 'r1');
    // The policy was removed and a lookup saw it (r2) while the load of r1 was still on its way.
    const late = cache.matcherFor(PROJECT, 'r2');
    loads[0]?.end(listOf('r1', '/removed'));
    expect(await matches(early, '/removed')).toBe(true);
    await settled();
    expect(loads).toHaveLength(2);
    loads[1]?.end(listOf('r2', '/kept'));
    expect(await matches(late, '/removed')).toBe(false);
    expect(await matches(late, '/kept')).toBe(true);
  });

  it('serves a later decision if it turns out to have its revision', async () => {
    const { cache, loads } = setUp();
    const early = cache.matcherFor(PROJECT, 'r1');
    const late = cache.matcherFor(PROJECT, 'r2');
    loads[0]?.end(listOf('r2', '/new'));
    expect(await matches(early, '/new')).toBe(true);
    expect(await matches(late, '/new')).toBe(true);
    expect(loads).toHaveLength(1);
  });

  it('is followed by one load for all decisions that it could not serve', async () => {
    const { cache, loads } = setUp();
    const waiting = ['r1', 'r2', 'r2', 'r3', 'r2'].map((revision) =>
      cache.matcherFor(PROJECT, revision),
    );
    loads[0]?.end(listOf('r1', '/a'));
    await settled();
    expect(loads).toHaveLength(2);
    loads[1]?.end(listOf('r3', '/c'));
    expect(await Promise.all(waiting.slice(1).map((matcher) => matches(matcher, '/c')))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(loads).toHaveLength(2);
  });

  it('fails only its own decisions: the next one loads again', async () => {
    const { cache, loads } = setUp();
    const failing = Promise.resolve(cache.matcherFor(PROJECT, 'r1'));
    const behind = cache.matcherFor(PROJECT, 'r2');
    loads[0]?.fail(new Error('connection lost'));
    await expect(failing).rejects.toThrow('connection lost');
    await settled();
    loads[1]?.end(listOf('r2', '/b'));
    expect(await matches(behind, '/b')).toBe(true);
  });

  it('of a project that is gone matches nothing, and is kept under no revision', async () => {
    const { cache, loads } = setUp();
    const gone = cache.matcherFor(PROJECT, 'r1');
    loads[0]?.end(null);
    expect(await matches(gone, '/a')).toBe(false);
    void cache.matcherFor(PROJECT, 'r1');
    expect(loads).toHaveLength(2);
  });
});

describe('memory', () => {
  it('is bounded: the least recently used project is evicted', async () => {
    const loadsOf = new Map<string, number>();
    const thirtyThousand = Array.from({ length: 30_000 }, (_, n) => ({
      policyId: String(n),
      method: 'GET',
      pathPattern: `/${n}`,
      scopes: null,
      cost: 1,
    }));
    const list = compiled('r1', thirtyThousand);
    const load = async (projectId: string) => {
      loadsOf.set(projectId, (loadsOf.get(projectId) ?? 0) + 1);
      return list;
    };
    const cache = new PolicyCache(load, () => 0);
    for (const projectId of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) {
      await cache.matcherFor(projectId, 'r1');
    }
    expect(Object.fromEntries(loadsOf)).toEqual({ a: 1, b: 2, c: 1, d: 1 });
  });
});
