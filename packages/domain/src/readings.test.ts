import { describe, expect, it } from 'vitest';
import { canonicalPath } from './path.ts';
import { compilePolicies, type Policy } from './policies.ts';
import { oneOf, type Pick, seeded } from './test-support.ts';

/** A policy's id is its own text; each has a label of its own. */
const policies = (...lines: string[]): Policy[] =>
  lines.map((line) => {
    const [method = '', pathPattern = ''] = line.split(' ');
    return { policyId: line, method, pathPattern, scopes: [line] };
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

  it('is of the method that was sent, a named one before * of the same pattern', () => {
    const lines = ['GET /v1*', 'POST /v1/a', '* /v1/a', 'GET /v1/b', '* /v1/b'];
    expect(othersOf(lines, 'GET /v1/A')).toEqual(['* /v1/a']);
    expect(othersOf(lines, 'GET /v1/B')).toEqual(['GET /v1/b']);
    expect(othersOf(['* /v1*', 'GET /v1/a*', '* /v1/A*'], 'GET /v1/%61/x')).toHaveLength(2);
    expect(othersOf(['* /v1/a*', 'GET /v1/A*'], 'GET /v1/a/x')).toEqual([]);
  });

  it('is every step on the way, since a router may decode or ignore case alone', () => {
    const reopened = ['GET /v1*', 'GET /v1/admin*', 'GET /v1/admin/public*', 'GET /v1/admin/state'];
    expect(othersOf(reopened, 'GET /v1/%61dmin/PUBLIC/secret')).toEqual(reopened.slice(1, 3));
    expect(othersOf(reopened, 'GET /v1/ADMIN/%73tate')).toEqual([reopened[1], reopened[3]]);
    expect(othersOf(reopened, 'GET /v1/admin/PUBLIC')).toEqual(['GET /v1/admin/public*']);
    expect(othersOf(reopened, 'GET /v1/admin/public/%73ecret')).toEqual([]);
  });

  it.each(['ta%C5%BFks', 'TASKS', '%74a%73ks'])(
    'folds letters as regular expressions do: %s',
    (name) => {
      expect(othersOf(['GET /v1*', 'GET /v1/tasks*'], `GET /v1/${name}`)).toEqual([
        'GET /v1/tasks*',
      ]);
      expect(othersOf(['GET /v1*', 'GET /v1/items*'], 'GET /v1/%C4%B0tem%C5%BF/%C4%B1')).toEqual([
        'GET /v1/items*',
      ]);
    },
  );

  it('matters only where policies differ in labels or cost', () => {
    const equal = [WIDE, NARROW].map((line, index) => {
      const [method = '', pathPattern = ''] = line.split(' ');
      return { policyId: `${index}`, method, pathPattern, scopes: null, cost: 5 };
    });
    const [wide, narrow] = equal as [(typeof equal)[0], (typeof equal)[0]];
    const othersIn = (list: typeof equal) =>
      compilePolicies(list).others(wide, 'GET', '/v1/reports/INTERNAL');
    expect(othersIn(equal)).toEqual([]);
    expect(othersIn([wide, { ...narrow, cost: 6 }])).toHaveLength(1);
    const free = { policyId: '*', method: '*', pathPattern: '*', scopes: null, cost: 0 };
    expect(othersIn([free, wide, narrow])).toHaveLength(1);
  });

  it('of a pattern with very many segments is any below the first of them', () => {
    const deep = `GET /a${'/b'.repeat(40)}`;
    expect(othersOf(['* *', deep], `GET /A${'/b'.repeat(20)}`)).toEqual([deep]);
    expect(othersOf(['* *', deep], `GET /A${'/b'.repeat(10)}`)).toEqual([]);
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
    ['in another spelling as well', ['* /v1*', 'GET /v1/a*'], '/v1/A', ['GET /v1/a*']],
    ['at the same place too', ['* /v1/a', 'GET /v1/a'], '/v1/a', ['GET /v1/a']],
    ['is what a policy for HEAD says of its own pattern', ['HEAD /v1*', 'GET /v1*'], '/v1/a', []],
    ['and of less specific ones', ['HEAD /v1/a*', 'GET /v1*'], '/v1/a', []],
    ['but not of others', ['HEAD /v1*', 'GET /v1*', 'GET /v1/a*'], '/v1/a', ['GET /v1/a*']],
    ['in no spelling', ['HEAD /v1*', 'GET /v1*', 'GET /v1/a*'], '/v1/A', ['GET /v1/a*']],
  ])('%s', (_, lines, path, others) => {
    expect(othersOf(lines, `HEAD ${path}`)).toEqual(others);
  });
});

describe('a method that some frameworks put into upper case', () => {
  it.each(['get', 'Get'])('may be the named one: %s', (method) => {
    expect(othersOf(['* *', 'GET /v1/a*'], `${method} /v1/a`)).toEqual(['GET /v1/a*']);
  });

  it('may be a HEAD, and so a GET', () => {
    const others = othersOf(['* *', 'GET /v1/a*', 'HEAD /v1/a*'], 'head /v1/a');
    expect(others).toEqual(['HEAD /v1/a*', 'GET /v1/a*']);
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
    ['and anything beyond ASCII', '/caf\u00c3\u00a9', allOfGet],
    ['and anything with an escape of no standard', '/v1/%u0061', allOfGet],
    ['and anything that is far too long', `/${'x'.repeat(8_192)}`, allOfGet],
    ['but a long one as any other', `/v1/c/${'x'.repeat(2_048)}`, ['GET /v1*', 'GET /v1/c']],
    ['up to a space, too', '/v1/c%20HTTP//', ['GET /v1*', 'GET /v1/c']],
  ])('%s', (_, target, others) => {
    const found = othersOf(lines, `GET ${target}`);
    expect(found?.toSorted()).toEqual(others);
  });

  it('may mean a pattern with a space in a segment', () => {
    const report = 'GET /v1/my%20report*';
    expect(othersOf(['* *', report], 'GET /v1//my%20report')).toEqual([report]);
    expect(othersOf(['* *', report], 'GET /v1//my%20reports')).toEqual([]);
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
