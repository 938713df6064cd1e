import { displayNameSchema } from '@ceiba/contract';
import { eachLimit } from '@ceiba/domain';
import { describe, expect, test } from 'vitest';
import { readCeibaFile } from '../apply/read.ts';
import { yamlOf } from './yaml.ts';

/** What YAML reads as something else than text, or gives a meaning within a line. */
const PIECES = [
  ...` '"#:-?,[]{}&*!|>%@\`~\\/=<y0n1eE+._`,
  ...[
    'yes',
    'null',
    'true',
    '1e3',
    '0x1f',
    '0o7',
    '1_000',
    '12:30:45',
    '2020-01-01',
    '.inf',
    '.nan',
  ],
  ...['---', '...', '- ', '? ', ': ', ' #', '<<', '!!str'],
  ...['é', '👩‍💻', '\u202e', '\ufeff', '\u00a0', '\u2003', '\u00ad', '\u200b'],
];
const NAMES_TRIED = 1_000;

/** The same names in every run: a linear congruential generator, with the constants of glibc. */
function namesToTry(): string[] {
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % limit;
  };
  const names = Array.from({ length: NAMES_TRIED }, () =>
    Array.from({ length: 1 + below(6) }, () => PIECES[below(PIECES.length)]).join(''),
  ).flatMap((text) => displayNameSchema.safeParse(text).data ?? []);
  return [...new Set(names)];
}

const fileWith = (...names: string[]) => ({
  owner: { email: 'ops@example.com' },
  plans: names.map((name) => ({ name, activeKeyCap: 1, ...eachLimit(() => 1) })),
  projects: names.map((name) => ({
    name,
    subscription: { plan: name, status: 'active' as const, currentPeriodEnd: null },
    defaultKeyRateLimitPerMinute: null,
    policies: [{ method: 'GET', pathPattern: '/v1*' }],
  })),
});

describe('an exported file', () => {
  test('has every name as it is stored, also one that YAML could read as something else', () => {
    const names = namesToTry();
    expect(names.length).toBeGreaterThan(NAMES_TRIED / 2);
    expect(readCeibaFile('export', yamlOf(fileWith(...names))).file).toEqual(fileWith(...names));
  });

  test('has a name of a hundred characters on one line', () => {
    const name = `a${' b: #'.repeat(19)}'"\\!`.slice(0, 100);
    const text = yamlOf(fileWith(name));
    expect(text).toMatch(/^ {2}- \{ name: .{100,} activeKeyCap: 1, .* \}$/m);
    expect(readCeibaFile('export', text).file).toEqual(fileWith(name));
  });
});
