import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readGuide } from '../support/guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The programs' source, with texts that are split over lines joined. */
const source = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'packages'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .filter((path) => existsSync(root + path))
  .map((path) => readFileSync(root + path, 'utf8').replaceAll(/['`]\s*\+\s*['`]/g, ''))
  .join('\n');

/** The words of the programs: the code in the first cell of each row. */
const quoted = [...readGuide('run/troubleshooting.md').text.matchAll(/^\| (.+?) \|/gm)]
  .map(([, cell = '']) => cell)
  .filter((cell) => !cell.includes('of `/ready`'))
  .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words));

describe('the guide to troubleshooting', () => {
  it('quotes words that the programs still print', () => {
    expect(quoted.length).toBeGreaterThan(30);
    const stale = quoted.filter((words) => !source.includes(words));
    expect(stale).toEqual([]);
  });

  it('has each warning and error that a Runtime repeats for as long as it lasts', () => {
    const tasks = [...source.matchAll(/new BackgroundTask\(\{\s+name: '(.+?)'/g)].map(
      ([, name = '']) => name,
    );
    expect(tasks.length).toBeGreaterThan(4);
    const text = readGuide('run/troubleshooting.md').text;
    expect(tasks.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
