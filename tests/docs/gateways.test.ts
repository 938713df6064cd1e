import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = join(root, 'examples/gateways');
const guide = readFileSync(join(root, 'docs/learn/gateways.md'), 'utf8');

const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((path) =>
  statSync(join(examples, path)).isFile(),
);
/** Lines without their indentation, so that a part of a file can stand alone in the guide. */
const flat = (text: string) =>
  text
    .split('\n')
    // Examples of what not everyone wants are comments in the files.
    .map((line) => line.trim().replace(/^# */, '').trim())
    .join('\n');
const textOf = (path: string) => readFileSync(join(examples, path), 'utf8');

describe('the guide to gateways', () => {
  it('quotes the configurations as the tests run them', () => {
    const texts = files.map((path) => flat(textOf(path)));
    const all = [...guide.matchAll(/^```(nginx|caddyfile|haproxy|yaml)\n(.*?)^```$/gms)];
    // The tests of gateways add those for a preflight to the files.
    const blocks = all.filter(([, , code]) => !code?.includes('Access-Control'));
    expect([all.length, blocks.length]).toEqual([12, 9]);
    const strangers = blocks.filter(([, , code = '']) => {
      return !texts.some((text) => text.includes(flat(code).trim()));
    });
    expect(strangers).toEqual([]);
  });

  it('links every configuration, and says which the tests do not run', () => {
    for (const path of files) {
      const row = guide.split('\n').find((line) => line.includes(`examples/gateways/${path}`));
      expect(row, path).toBeDefined();
      expect(row?.endsWith('| no |'), path).toBe(textOf(path).includes('tests do not run'));
    }
  });
});
