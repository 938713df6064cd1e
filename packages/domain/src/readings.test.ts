import { describe, expect, it } from 'vitest';
import { canonicalPath } from './path.ts';
import { compilePolicies, type Policy } from './policies.ts';
import { oneOf, type Pick, seeded } from './test-support.ts';

/** A policy's id is its own text. */
const policies = (...lines: string[]): Policy[] =>
  lines.map((line) => {
    const [method = '', pathPattern = ''] = line.split(' ');
    return { policyId: line, method, pathPattern };
  });

/** The policies that other readings match; null where the request matches none as it was sent. */
function othersOf(lines: readonly string[], request: string): string[] | null {
  const [method = '', target = ''] = request.split(/ (.*)/);
  const matcher = compilePolicies(policies(...lines));
  const policy = matcher.match(method, target);
  return policy && matcher.others(policy, method, target).map(({ policyId }) => policyId);
}

const WIDE = 'GET /v1/reports*';
const NARROW = 'GET /v1/reports/internal*';

describe('another reading of a path', () => {
  it.each([
    ['a path as it is written', 'GET /v1/reports/internal', []],
    ['a path beside it', 'GET /v1/reports/Public/%7e?INTERNAL', []],
    ['a path that only begins like it', 'GET /v1/reports/INTERNALS', []],
    ['case that a router ignores', 'GET /v1/reports/INTERNAL', [NARROW]],
    ['an escape that a router decodes', 'GET /v1/reports/%69nternal/x', [NARROW]],
    ['both', 'GET /v1/reports/%49nternal/', [NARROW]],
  ])('is found for %s', (_, request, others) => {
    expect(othersOf([WIDE, NARROW], request)).toEqual(others);
  });

  it('ignores case beyond ASCII, and the digits of an escape', () => {
    const cafe = 'GET /v1/caf%C3%A9';
    for (const name of ['caf%c3%a9', 'CAF%C3%89']) {
      expect(othersOf([cafe, 'GET /v1*'], `GET /v1/${name}`)).toEqual([cafe]);
    }
  });

  it('is not asked for beside the policy that names the path', () => {
    const lines = ['GET /v1/Internal', 'GET /v1/internal', 'GET /v1*'];
    expect(othersOf(lines, 'GET /v1/Internal')).toEqual([]);
    expect(othersOf(lines, 'GET /v1/internal')).toEqual([]);
    expect(othersOf(lines, 'GET /v1/INTERNAL')).toEqual(lines.slice(0, 2));
    expect(othersOf(lines, 'GET /v1/other')).toEqual([]);
  });

  it('is found for a plain path where the pattern has capitals', () => {
    expect(othersOf(['GET /v1/Internal*', 'GET /v1*'], 'GET /v1/internal/x')).toEqual([
      'GET /v1/Internal*',
    ]);
  });

  it('is of the method that was sent, a named one before *', () => {
    const lines = ['GET /v1*', 'POST /v1/a', '* /v1/a', 'GET /v1/b', '* /v1/b'];
    expect(othersOf(lines, 'GET /v1/A')).toEqual(['* /v1/a']);
    expect(othersOf(lines, 'GET /v1/B')).toEqual(['GET /v1/b']);
  });

  it('allows nothing that no policy matches as it was sent', () => {
    expect(othersOf(['GET /v1/internal'], 'GET /v1/INTERNAL')).toBeNull();
    expect(othersOf([WIDE], 'GET /v1//reports')).toBeNull();
  });
});

describe('HEAD, which routers answer as GET', () => {
  it.each([
    [
      'is also a GET under the policy for every method',
      ['* /v1*', 'GET /v1/a*'],
      '/v1/a',
      ['GET /v1/a*'],
    ],
    ['in another spelling as well', ['* /v1*', 'GET /v1/a*'], '/v1/A', ['* /v1*', 'GET /v1/a*']],
    ['at the same place too', ['* /v1/a', 'GET /v1/a'], '/v1/a', ['GET /v1/a']],
    ['is only what a policy for HEAD says', ['HEAD /v1*', 'GET /v1/a*'], '/v1/a', []],
  ])('%s', (_, lines, path, others) => {
    expect(othersOf(lines, `HEAD ${path}`)).toEqual(others);
  });
});

describe('an ambiguous path, which only a bare * matches,', () => {
  const lines = ['GET *', 'GET /v1*', 'GET /v1/a/b*', 'GET /v1/c', 'POST /v1/a/b'];
  const allOfGet = ['GET /v1*', 'GET /v1/a/b*', 'GET /v1/c'];

  it.each([
    ['may mean what its segments spell', '//v1/a/b', ['GET /v1*', 'GET /v1/a/b*']],
    ['with what a parser resolves or drops', '/v1/x/..;/a/%2e/B', ['GET /v1*', 'GET /v1/a/b*']],
    ['with escaped separators', '/v1%2fa%5cb%3fc', ['GET /v1*', 'GET /v1/a/b*', 'GET /v1/c']],
    ['encoded twice', '/v1/%2561/b', ['GET /v1*', 'GET /v1/a/b*']],
    ['in absolute form', 'http://host/v1/c', ['GET /v1*', 'GET /v1/c']],
    ['but not what its segments do not spell', '/files/a%2Fb', []],
    ['nor what they spell in another order', '/b%2Fa%2Fv1', ['GET /v1*']],
    ['nor what its query spells', '//files?/v1/a/b', []],
    ['with a % that is none', '/v1/100%25/c', ['GET /v1*', 'GET /v1/c']],
    ['and anything with a control character', '/x%00', allOfGet],
    ['and anything that is no UTF-8', '/x%c0%af', allOfGet],
    ['and anything that is encoded too often', '/x%2525252561', allOfGet],
    ['and anything that is too long', `/${'x'.repeat(2_048)}`, allOfGet],
  ])('%s', (_, target, others) => {
    const found = othersOf(lines, `GET ${target}`);
    expect(found?.toSorted()).toEqual(others);
  });

  it('may mean each of hundreds of policies, which is found once', () => {
    const wide = Array.from({ length: 340 }, (_, i) => `GET /v1/r${String(i).padStart(3, '0')}*`);
    const target = `//v1${wide.map((line) => line.slice(7, -1)).join('')}`.slice(0, 2_048);
    expect(othersOf(['GET *', ...wide], `GET ${target}`)).toHaveLength(340);
  });
});

/** Ways to write a path differently that some router undoes. */
const SPELLINGS: readonly ((path: string, pick: Pick) => string)[] = [
  (path, pick) => atRandom(path, /[a-z]/g, (letter) => letter.toUpperCase(), pick),
  (path, pick) => atRandom(path, /[a-z~]/g, (letter) => hex(letter), pick),
  (path, pick) => atRandom(path, /%7[eE]/g, (escaped) => escaped.toUpperCase(), pick),
  (path) => `${path}/`,
  (path) => `${path}?x=1`,
  (path, pick) => atRandom(path, /\//g, () => '//', pick),
  (path, pick) => atRandom(path, /\//g, () => '/./', pick),
  (path, pick) => atRandom(path, /\//g, () => '/x/../', pick),
  (path, pick) => atRandom(path, /\//g, () => ';p=1/', pick),
  (path, pick) => atRandom(path, /\//g, () => '%2F', pick),
  (path, pick) => atRandom(path, /\//g, () => '\\', pick),
  (path, pick) => atRandom(path, /%/g, () => '%25', pick),
  (path) => `${path}%3fx`,
  (path) => `${path}%00`,
  (path) => `http://host${path}`,
];

const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

function atRandom(path: string, what: RegExp, by: (text: string) => string, pick: Pick): string {
  const found = [...path.matchAll(what)];
  if (found.length === 0) return path;
  const { 0: text, index } = oneOf(pick, found);
  return path.slice(0, index) + by(text) + path.slice(index + text.length);
}

describe('however a path is spelled', () => {
  it('the policy of its plain form has to open, in 40,000 random spellings', () => {
    const pick = seeded(68);
    let respelled = 0;
    for (let round = 0; round < 400; round++) {
      const lines = Array.from({ length: 1 + pick(12) }, () => {
        const path = randomPath(pick);
        return `${oneOf(pick, ['GET', '*'])} ${path}${oneOf(pick, ['', '*'])}`;
      });
      const matcher = compilePolicies(policies(...new Set([...lines, 'GET *', '* *'])));
      for (let i = 0; i < 100; i++) {
        const path = randomPath(pick);
        const plain = matcher.match('GET', path);
        let target = path;
        for (let times = 1 + pick(3); times > 0; times--) {
          target = oneOf(pick, SPELLINGS)(target, pick);
        }
        const method = oneOf(pick, ['GET', 'HEAD']);
        const policy = matcher.match(method, target);
        if (policy === null || plain === null) throw new Error('every request matches *');
        const asked = [policy, ...matcher.others(policy, method, target)];
        // A bare * means that the path does not matter: it is what is left.
        const isAsked = asked.includes(plain) || plain.pathPattern === '*';
        expect(isAsked, `${method} ${target} for ${path} under ${lines.join(', ')}`).toBe(true);
        if (policy !== plain && canonicalPath(target) !== path) respelled++;
      }
    }
    expect(respelled).toBeGreaterThan(5_000);
  }, 60_000);
});

const randomPath = (pick: Pick) =>
  `/${Array.from({ length: 1 + pick(3) }, () => oneOf(pick, ['a', 'ab', 'b~', 'abc'])).join('/')}`;
