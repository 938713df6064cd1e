import { describe, expect, it } from 'vitest';
import { canonicalPath } from './path.ts';
import {
  comparePolicies,
  compilePolicies,
  coveredBy,
  explainMatch,
  inMatchOrder,
  matchExplainer,
  type Policy,
  successorFinder,
} from './policies.ts';
import { oneOf, type Pick, seeded } from './test-support.ts';

/** `policies('GET /v1/reports*')`; a policy's id is its own text. */
function policies(...lines: string[]): Policy[] {
  return lines.map((line) => {
    const [method = '', pathPattern = ''] = line.split(' ');
    return { policyId: line, method, pathPattern };
  });
}

function winner(lines: string[], method: string, target: string): string | null {
  return compilePolicies(policies(...lines)).match(method, target)?.policyId ?? null;
}

function successorsOf(policyId: string, ...lines: string[]) {
  const set = policies(...lines);
  const { ofMethods, cover } = successorFinder(inMatchOrder(set))({ ...set[0]!, policyId });
  return { ofMethods: ofMethods.map((each) => each.policyId), cover: cover?.policyId ?? null };
}

const coverOf = (policyId: string, ...lines: string[]) => successorsOf(policyId, ...lines).cover;

describe('matching', () => {
  it.each([
    ['/v1/reports', true, false, false],
    ['/v1/reports*', true, true, false],
    ['*', true, true, true],
  ])("keeps the contract's table for the pattern %s", (pattern, reports, one, billing) => {
    const line = `GET ${pattern}`;
    expect(winner([line], 'GET', '/v1/reports')).toBe(reports ? line : null);
    expect(winner([line], 'GET', '/v1/reports/42')).toBe(one ? line : null);
    expect(winner([line], 'GET', '/v1/billing')).toBe(billing ? line : null);
  });

  it.each([
    ['/v1/reports*', '/v1/reports/', true],
    ['/v1/reports*', '/v1/reports?x=1', true],
    ['/v1/reports*', '/v1/reports/a/b/c', true],
    ['/v1/reports*', '/v1/%72eports/42', false],
    ['/v1/reports*', '/v1/report%73', false],
    ['/v1/reports*', '/v1/reports/%72', true],
    ['/v1/caf%C3%A9', '/v1/caf%C3%A9', true],
    ['/v1/caf%C3%A9', '/v1/caf%c3%a9', false],
    ['/v1/payouts/preview', '/v1/payouts/%70review', false],
    ['/v1/wild*', '/v1/%77ild', false],
    ['/*', '/v1/%77ild', true],
    ['/v1/reports*', '/v1/reportsX', false],
    ['/v1/reports*', '/v1/reports*', false],
    ['/v1/reports*', '/v1/reports-old/42', false],
    ['/v1/reports*', '/v1/Reports', false],
    ['/v1/reports*', '/v1', false],
    ['/v1/reports*', '/', false],
    ['/v1/reports*', '/v1/reports/../billing', false],
    ['/v1/reports*', '/v1/reports/%2e%2e/billing', false],
    ['/v1/reports*', '/v1/reports/..;/billing', false],
    ['/v1/reports*', '/v1/reports%2f42', false],
    ['/v1/reports*', '/v1//reports', false],
    ['/v1/reports*', 'http://host/v1/reports', false],
    ['/v1/rep*', '/v1/reports', false],
    ['/v1/rep*', '/v1/rep/orts', true],
    ['/v1/reports', '/v1/reports/', true],
    ['/v1/reports', '/v1/reports/42', false],
    ['/', '/', true],
    ['/', '/v1', false],
    ['/*', '/', true],
    ['/*', '/v1/reports', true],
    ['/*', '//', false],
    ['/*', '*', false],
    ['/*', '/a/../b', false],
    ['*', '/', true],
    ['*', '*', true],
    ['*', '', true],
    ['*', '/a/../b', true],
    ['*', '//evil', true],
    ['*', 'http://host/', true],
  ])('answers for the pattern %s and the target %s: %s', (pattern, target, matches) => {
    expect(winner([`GET ${pattern}`], 'GET', target)).toBe(matches ? `GET ${pattern}` : null);
  });

  it('matches methods as they are on the wire: case counts and GET does not imply HEAD', () => {
    expect(winner(['GET /a'], 'HEAD', '/a')).toBeNull();
    expect(winner(['GET /a'], 'get', '/a')).toBeNull();
    expect(winner(['* /a'], 'get', '/a')).toBe('* /a');
    expect(winner(['GET /a'], '*', '/a')).toBeNull();
    expect(winner(['GET /a', '* /a'], '*', '/a')).toBe('* /a');
    expect(winner(['GET /a'], '__proto__', '/a')).toBeNull();
    expect(winner(['GET /a'], 'constructor', '/constructor')).toBeNull();
  });

  it('prefers exact to prefix, the longer prefix to the shorter, and a named method to *', () => {
    const lines = [
      '* *',
      'GET *',
      '* /*',
      'GET /*',
      '* /v1*',
      'GET /v1*',
      '* /v1/a*',
      'GET /v1/a*',
      '* /v1/a',
      'GET /v1/a',
    ];
    for (let left = lines.length; left > 0; left--) {
      expect(winner(lines.slice(0, left), 'GET', '/v1/a')).toBe(lines[left - 1]);
    }
    expect(winner(['* /v1/a', 'GET /v1*'], 'GET', '/v1/a')).toBe('* /v1/a');
    expect(winner(['* /v1/a*', 'GET /v1*'], 'GET', '/v1/a/b')).toBe('* /v1/a*');
    expect(winner(['POST /v1/a', 'GET /v1*'], 'GET', '/v1/a')).toBe('GET /v1*');
  });

  it('matches an ambiguous path only with a bare *', () => {
    const lines = ['GET /*', 'GET /v1*', '* *'];
    expect(winner(lines, 'GET', '/v1/../x')).toBe('* *');
    expect(winner(lines.slice(0, 2), 'GET', '/v1/../x')).toBeNull();
  });

  it('matches nothing with a policy that could not have been saved', () => {
    const lines = [
      'GET /v1/*/x',
      'GET /v1/../x',
      'get /v1/x',
      'GET v1/x',
      'GET /v1/%78',
      'GET ',
      ' /v1/x',
      'GET /v1/x?y',
    ];
    for (const target of ['/v1/*/x', '/v1/../x', '/v1/x', '/v1/%78', 'v1/x', '', '/v1/x?y']) {
      for (const method of ['GET', 'get', '']) expect(winner(lines, method, target)).toBeNull();
    }
  });

  it('normalises a pattern that was written by plain SQL, as the verbs do', () => {
    expect(winner(['GET /v1/reports/*'], 'GET', '/v1/reports')).toBe('GET /v1/reports/*');
    expect(winner(['GET /v1/reports/'], 'GET', '/v1/reports')).toBe('GET /v1/reports/');
  });

  it('chooses between two spellings of one policy independently of their order', () => {
    const lines = ['GET /v1/reports/*', 'GET /v1/reports*'];
    for (const order of [lines, lines.toReversed()]) {
      expect(winner(order, 'GET', '/v1/reports')).toBe('GET /v1/reports*');
    }
    expect(coverOf('GET /v1/reports*', ...lines)).toBe('GET /v1/reports/*');
    expect(coverOf('GET /v1/reports/*', ...lines)).toBeNull();
  });

  it('returns the caller’s own object with its extra fields', () => {
    const policy = { policyId: '1', method: 'GET', pathPattern: '/a', hitsThisMonth: 7 };
    expect(compilePolicies([policy]).match('GET', '/a')).toBe(policy);
  });
});

describe('against a naive matcher that tests every policy', () => {
  it('agrees on 60,000 random requests, in any order of the policies', () => {
    const pick = seeded(8);
    let matched = 0;
    for (let round = 0; round < 300; round++) {
      const set = randomPolicies(pick, 1 + pick(25));
      const matcher = compilePolicies(set);
      for (let i = 0; i < 200; i++) {
        const method = oneOf(pick, ['GET', 'POST', 'get', '*']);
        const target = oneOf(pick, TARGETS);
        const expected = naive(set, method, target);
        const got = matcher.match(method, target);
        expect(got, `${method} ${target}`).toBe(expected[0] ?? null);
        if (got !== null) matched++;
        if (i % 10 !== 0) continue;
        const explained = explainMatch(set, method, target);
        expect(explained.matching).toEqual(expected);
        expect(explained.winner).toBe(got);
      }
    }
    expect(matched).toBeGreaterThan(10_000);
  }, 30_000);

  it('never matches a prefix with a path that neither equals its base nor continues it with /', () => {
    const pick = seeded(9);
    for (let i = 0; i < 5000; i++) {
      const set = randomPolicies(pick, 5).filter((policy) => /^\/.*\*$/.test(policy.pathPattern));
      const target = oneOf(pick, TARGETS);
      const hit = compilePolicies(set).match('GET', target);
      if (hit === null) continue;
      const base = hit.pathPattern.slice(0, -1).replace(/\/$/, '');
      const path = canonicalPath(target);
      expect(path === base || path?.startsWith(`${base}/`), `${hit.pathPattern} ${target}`).toBe(
        true,
      );
    }
  });

  it('sorts in match order: the first that matches in a sorted list is the winner', () => {
    const pick = seeded(10);
    for (let i = 0; i < 2000; i++) {
      const set = randomPolicies(pick, 8).sort(comparePolicies);
      const target = oneOf(pick, TARGETS);
      const first = set.find((policy) => compilePolicies([policy]).match('GET', target) !== null);
      expect(compilePolicies(set).match('GET', target)).toBe(first ?? null);
    }
  });

  it('names the first policy that matches wherever another one does, and all of which one does', () => {
    const pick = seeded(11);
    for (let round = 0; round < 60; round++) {
      const set = inMatchOrder(randomPolicies(pick, 8));
      const successors = successorFinder(set);
      for (const policy of set) {
        const others = set.filter((other) => other !== policy);
        expect(successors(policy).cover).toBe(others.find((by) => naiveCovers(by, policy)) ?? null);
        expect(coveredBy(policy, others)).toEqual(
          others.filter((other) => naiveCovers(policy, other)),
        );
      }
    }
  });

  it('names every policy that decides calls of one that is deleted', () => {
    const pick = seeded(12);
    for (let round = 0; round < 60; round++) {
      const set = inMatchOrder(randomPolicies(pick, 8));
      const successors = successorFinder(set);
      for (const policy of set) {
        const rest = set.filter((other) => other !== policy);
        const deciding = METHODS.flatMap((method) =>
          [...TARGETS, '/zz'].flatMap((target) =>
            naive(set, method, target)[0] === policy ? (naive(rest, method, target)[0] ?? []) : [],
          ),
        );
        const { ofMethods, cover } = successors(policy);
        const named = [...ofMethods, cover];
        expect(deciding.filter((each) => !named.includes(each))).toEqual([]);
      }
    }
  });
});

describe('the cost of a list', () => {
  // Each covers all that follow, as deep as a path may be.
  const nested = Array.from({ length: 1_000 }, (_, depth) => `/a${'/b'.repeat(depth)}`).flatMap(
    (path) => policies(`GET ${path}`, `GET ${path}*`),
  );
  const draft = { policyId: 'draft', method: 'GET', pathPattern: '/*' };

  /** Each parse reads the method of a policy once, and no comparison of different patterns does. */
  function parsesOf(work: (set: Policy[]) => void): number {
    const counter = { steps: 0 };
    work(nested.map((policy) => counted(policy, counter, 'method')));
    return counter.steps;
  }

  it.each<[string, (set: Policy[]) => void]>([
    ['sorting', (set) => inMatchOrder(set)],
    ['covers', (set) => set.slice(0, 50).forEach(successorFinder(set))],
    ['covered policies', (set) => coveredBy(draft, set)],
    [
      'explanations',
      (set) => {
        const explain = matchExplainer(set);
        for (const path of ['/a', '/b', '/c']) explain('GET', path);
      },
    ],
  ])('is one parse of each policy for its %s', (_what, work) => {
    expect(parsesOf(work)).toBe(nested.length);
  });

  it('has one cover for each policy, of 2,000 within each other', () => {
    const set = inMatchOrder(nested);
    const found = set.map(successorFinder(set));
    expect(found.filter(({ cover }) => cover !== null)).toHaveLength(1_999);
    expect(found.flatMap(({ ofMethods }) => ofMethods)).toEqual([]);
  });
});

describe('the cost of a match', () => {
  const setOf = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const name = `r${String(i).padStart(4, '0')}`;
      return policies(`GET /v1/${name}/x*`, `GET /v1/${name}/y`, `POST /v1/${name}/*`);
    }).flat();

  it.each([
    ['under a prefix', '/v1/r0007/x/42'],
    ['of an exact path', '/v1/r0007/y'],
    ['of nothing', '/v1/r0007/z/42'],
    ['of nothing, far from every pattern', `/${'a/'.repeat(500)}`],
  ])('%s does not grow with the number of policies', (_what, target) => {
    const [few, many] = [10, 2_000].map((count) => {
      const counter = { steps: 0 };
      const matcher = compilePolicies(setOf(count).map((policy) => counted(policy, counter)));
      counter.steps = 0;
      countingCollections(counter, () => matcher.match('GET', target));
      return counter.steps;
    });
    expect(many).toBeGreaterThan(0);
    expect(many).toBe(few);
  });
});

interface Counter {
  steps: number;
}

/** Counts each read of a field, or of one field. */
function counted(policy: Policy, counter: Counter, only?: keyof Policy): Policy {
  return new Proxy(policy, {
    get(target, field, receiver) {
      if (only === undefined || field === only) counter.steps += 1;
      return Reflect.get(target, field, receiver);
    },
  });
}

const ITERATORS = [[], new Map(), new Set()].map((it) => Object.getPrototypeOf(it.values()));
/** Methods that take one step, and methods that may look at every element. */
const STEPS = [
  ...['get', 'has'].map((name) => [Map.prototype, name] as const),
  ...ITERATORS.map((prototype) => [prototype, 'next'] as const),
];
const WALKS = ['find', 'findIndex', 'filter', 'some', 'every', 'map', 'flatMap', 'forEach'];

/** Counts look-ups in maps and steps over collections while the work runs. */
function countingCollections(counter: Counter, work: () => void): void {
  const restores = [...STEPS, ...WALKS.map((name) => [Array.prototype, name] as const)].map(
    ([prototype, name]) => {
      const original = prototype[name];
      prototype[name] = function (this: unknown, ...given: unknown[]) {
        counter.steps += Array.isArray(this) ? this.length : 1;
        return original.apply(this, given);
      };
      return () => {
        prototype[name] = original;
      };
    },
  );
  try {
    work();
  } finally {
    // Without an iterator, which is counted until it is restored.
    for (let i = 0; i < restores.length; i += 1) restores[i]?.();
  }
}

describe('comparePolicies', () => {
  it('lists exact patterns first, then prefixes from long to short, then the bare *', () => {
    const lines = [
      'GET *',
      '* /*',
      'broken x',
      '* /v1/a',
      'GET /v1*',
      'POST /v1/a',
      'GET /v1/a/b*',
      'GET /v1/a',
      '* *',
      'GET /b',
    ];
    expect(
      policies(...lines)
        .sort(comparePolicies)
        .map((policy) => policy.policyId),
    ).toEqual([
      ...['GET /b', 'GET /v1/a', 'POST /v1/a', '* /v1/a'],
      ...['GET /v1/a/b*', 'GET /v1*', '* /*', 'GET *', '* *', 'broken x'],
    ]);
  });
});

describe('the order of any two policies', () => {
  it('is the opposite when they are swapped', () => {
    const set = policies(
      'GET /a',
      'GET /b',
      'PUT /a',
      '* /a',
      'GET /a*',
      'GET *',
      'broken x',
      'y z',
    );
    for (const a of set) {
      for (const b of set) {
        expect(comparePolicies(a, b) + comparePolicies(b, a)).toBe(0);
        expect(comparePolicies(a, b) === 0).toBe(a === b);
      }
    }
  });
});

describe('explainMatch', () => {
  const set = policies('GET /v1*', 'GET /v1/reports*', '* *', 'POST /v1*');

  it('names the winner, the rest that match in order, and the path as it was read', () => {
    const explained = explainMatch(set, 'GET', '/v1/reports/42/?x');
    expect(explained.winner?.policyId).toBe('GET /v1/reports*');
    expect(explained.matching.map((policy) => policy.policyId)).toEqual([
      'GET /v1/reports*',
      'GET /v1*',
      '* *',
    ]);
    expect(explained).toMatchObject({ path: '/v1/reports/42', ambiguous: null });
  });

  it('says why a path is ambiguous, and that only a bare * matches it', () => {
    const explained = explainMatch(set, 'GET', '/v1/%2e%2e/admin');
    expect(explained.winner?.policyId).toBe('* *');
    expect(explained.path).toBeNull();
    expect(explained.ambiguous).toContain('dot segment');
  });

  it('has no winner where nothing matches', () => {
    expect(explainMatch(policies('GET /a'), 'GET', '/b')).toEqual({
      winner: null,
      matching: [],
      path: '/b',
      ambiguous: null,
    });
  });
});

describe('successorFinder', () => {
  it('names the first policy that matches all calls of another one', () => {
    const set = ['GET /v1/reports*', '* /v1*', 'GET /v1/reports', 'GET /v2'];
    expect(coverOf('GET /v1/reports', ...set)).toBe('GET /v1/reports*');
    expect(coverOf('GET /v1/reports*', ...set)).toBe('* /v1*');
    expect(coverOf('* /v1*', ...set)).toBeNull();
    expect(coverOf('GET /v2', ...set)).toBeNull();
  });

  it('names, for a policy of every method, those that decide the calls of their method', () => {
    const set = ['* /v1/a*', 'GET /v1/a*', 'GET /v1*', 'PUT /v1*', 'GET /*', '* /*', 'POST *'];
    expect(successorsOf('* /v1/a*', ...set)).toEqual({
      ofMethods: ['GET /v1*', 'PUT /v1*'],
      cover: '* /*',
    });
  });

  it('ignores a policy that could not have been saved: it allows nothing', () => {
    const set = ['GET /a', 'get /a', 'GET /a/../b', '* *'];
    expect(set.map((policyId) => coverOf(policyId, ...set))).toEqual(['* *', null, null, null]);
    expect(coveredBy(policies('* *')[0]!, policies(...set))).toHaveLength(2);
  });

  it('names nothing where each allows something that the other does not', () => {
    const set = ['* /v1/reports', 'POST /v2*', 'GET /v1/reports/42'];
    expect(set.map((policyId) => coverOf(policyId, ...set))).toEqual([null, null, null]);
  });
});

const METHODS = ['GET', 'POST', 'PUT'];
const SEGMENTS = ['a', 'ab', 'b', '~', 'A'];
const PATTERNS = ['*', '/*', '/', ...tree(SEGMENTS, 2).flatMap((path) => [path, `${path}*`])];
const TARGETS = [
  ...[
    '/',
    '*',
    '',
    '//',
    '/a/../b',
    '/a%2fb',
    '/%7e',
    '/~/ab?q',
    '/a/%7e',
    '/%61/b',
    '/a/ab/b/b',
    '/abc',
    '/a/',
  ],
  ...tree(SEGMENTS, 3),
];

function tree(segments: readonly string[], depth: number): string[] {
  if (depth === 0) return [];
  return segments.flatMap((segment) => [
    `/${segment}`,
    ...tree(segments, depth - 1).map((rest) => `/${segment}${rest}`),
  ]);
}

/** Distinct by method and normalised pattern, as the database keeps them. */
function randomPolicies(pick: Pick, count: number): Policy[] {
  const lines = Array.from(
    { length: count },
    () => `${oneOf(pick, ['GET', 'POST', '*'])} ${oneOf(pick, PATTERNS)}`,
  );
  return policies(...new Set(lines));
}

/** The rules read straight from their text: test every policy, then sort what matches. */
function naive(set: readonly Policy[], method: string, target: string): Policy[] {
  const path = canonicalPath(target);
  return set
    .filter((policy) => policy.method === '*' || (policy.method === method && method !== '*'))
    .filter(({ pathPattern }) => {
      if (pathPattern === '*') return true;
      if (path === null) return false;
      if (!pathPattern.endsWith('*')) return path === pathPattern;
      const base = pathPattern.slice(0, -1).replace(/\/$/, '');
      return path === base || path.startsWith(`${base}/`);
    })
    .sort((a, b) => weight(b) - weight(a));
}

function weight({ method, pathPattern }: Policy): number {
  const specificity = !pathPattern.endsWith('*')
    ? 1000
    : pathPattern === '*'
      ? 0
      : pathPattern.length;
  return specificity * 2 + (method === '*' ? 0 : 1);
}

/** One more level of segments than any pattern has distinguishes all patterns. */
function naiveCovers(by: Policy, covered: Policy): boolean {
  return METHODS.every((method) =>
    [...TARGETS, '/zz', '/a/zz'].every(
      (target) => naive([covered], method, target).length <= naive([by], method, target).length,
    ),
  );
}
