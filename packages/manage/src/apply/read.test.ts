import { afterEach, describe, expect, test, vi } from 'vitest';
import { readCeibaFile } from './read.ts';

const refusalOf = (text: string): string => {
  try {
    readCeibaFile('The file', text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const SEARCHES = ['some', 'find', 'findIndex', 'includes', 'indexOf'] as const;

/** How many items of lists are searched while a file is read. */
function itemsSearched(text: string): number {
  let items = 0;
  for (const name of SEARCHES) {
    const search = Array.prototype[name];
    vi.spyOn(Array.prototype, name).mockImplementation(function (
      this: unknown[],
      ...given: unknown[]
    ) {
      items += this.length;
      return Reflect.apply(search, this, given);
    });
  }
  refusalOf(text);
  vi.restoreAllMocks();
  return items;
}

afterEach(() => {
  vi.restoreAllMocks();
});

const keys = (count: number) => Array.from({ length: count }, (_, index) => `key${index}: 1`);

describe('a file', () => {
  test.each([
    ['in block style', (count: number) => keys(count).join('\n')],
    ['in flow style', (count: number) => `{ ${keys(count).join(', ')} }`],
  ])('with twice as many keys of a map %s takes at most about twice the work', (_, text) => {
    const fewer = itemsSearched(text(1_000));
    expect(itemsSearched(text(2_000))).toBeLessThan(3 * fewer + 1_000);
  });

  test.each([
    ['plans: []\nplans: []\n', 'file (line 2): Map keys must be unique'],
    ['{ plans: [],\n plans: [] }\n', 'file (line 2): Map keys must be unique'],
    ['plans:\n  - name: a\n    &x name: b\n', 'file (line 3): Map keys must be unique'],
    ['plans:\n  - 1: a\n    0x1: b\n', 'file (line 3): Map keys must be unique'],
  ])('that repeats a key is refused with its line: %j', (text, problem) => {
    expect(refusalOf(text).split('\n')).toEqual([
      'The file is invalid. Nothing was changed:',
      `  ${problem}`,
    ]);
  });

  test('of 10,000 policies with scopes and costs is read', () => {
    const policies = Array.from(
      { length: 10_000 },
      (_, index) =>
        `      - { method: GET, pathPattern: /v1/${index}/*, scopes: [read, write], cost: 2 }`,
    );
    const text = `owner: { email: ops@example.com }\nprojects:\n  - name: a\n    policies:\n${policies.join('\n')}`;
    expect(readCeibaFile('The file', text).file.projects[0]?.policies).toHaveLength(10_000);
  });

  test('of more than a million parts is refused before it is parsed', () => {
    expect(refusalOf(`plans: [${'1,'.repeat(400_000)}]`)).toBe(
      'The file has more than 1,000,000 parts (values, commas and the like). Divide it.',
    );
  });

  test.each(['plans', 'projects', 'customerPlans'])('has at most 1,000 %s', (list) => {
    const refusalOfLength = (length: number) => {
      const items = `${list}: [${Array.from({ length }, (_, index) => `{ name: a${index} }`)}]`;
      return refusalOf(list === 'customerPlans' ? `projects: [{ name: a, ${items} }]` : items);
    };
    const field = list === 'customerPlans' ? 'projects[0].customerPlans' : list;
    const problem = `${field} (line 1): must be at most 1,000 ${list}; divide the file`;
    expect(refusalOfLength(1_001)).toContain(problem);
    expect(refusalOfLength(1_000)).not.toContain(problem);
  });

  test('with many problems is refused with the first hundred and the number of the others', () => {
    const lines = refusalOf(keys(250).join('\n')).split('\n');
    expect(lines).toHaveLength(102);
    expect(lines[1]).toContain('key0 (line 1): is not a known field');
    expect(lines.at(-1)).toBe('  and 150 more');
  });
});
