import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readGuide } from '../support/guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rules = [
  ...readGuide('reference/consistency.md').text.matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm),
].map(([, number = '', name = '']) => ({ number, name }));

/** The code and the documents, without the line breaks of comments. */
const texts = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'apps', 'packages', 'tests', 'docs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => /\.(?:tsx?|lua|qnt|md)$/.test(path) && existsSync(root + path))
  .map((path) => ({
    path,
    text: readFileSync(root + path, 'utf8').replaceAll(/\s*\n\s*(?:\*|\/\/|--)?\s*/g, ' '),
  }));

/** The names after `rule` or `rules`, each of which has a hyphen. */
const cited = (text: string): string[] =>
  [
    ...text.matchAll(/\b[Rr]ules? `?([a-z]+-[a-z-]+)`?((?:(?:,| and) `?[a-z]+-[a-z-]+`?)*)/g),
  ].flatMap(([, first = '', others = '']) => [first, ...(others.match(/[a-z]+-[a-z-]+/g) ?? [])]);

describe('the rules of consistency', () => {
  it('have a number and a name each, which are given once', () => {
    expect(rules.length).toBeGreaterThanOrEqual(40);
    for (const key of ['number', 'name'] as const) {
      expect(new Set(rules.map((rule) => rule[key])).size).toBe(rules.length);
    }
  });

  it('are cited by their names, and only rules that exist', () => {
    const names = rules.map(({ name }) => name);
    const unknown = texts.flatMap(({ path, text }) =>
      cited(text)
        .filter((name) => !names.includes(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(texts.flatMap(({ text }) => cited(text)).length).toBeGreaterThan(80);
  });

  it('are never cited by number', () => {
    const numbers = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\b[Rr]ules? \d+/g)].map(([citation]) => `${path}: ${citation}`),
    );
    expect(numbers).toEqual([]);
  });
});
