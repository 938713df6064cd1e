import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const workflowFiles = readdirSync(`${root}.github/workflows`);

describe('the files for contributors', () => {
  test('name a Node that the packages support, and CI runs it', () => {
    const major = Number(read('.nvmrc').trim());
    const [, oldest] = /^>=(\d+)\./.exec(JSON.parse(read('package.json')).engines.node) ?? [];
    expect(major).toBe(Number(oldest));
    const { jobs } = parse(read('.github/workflows/ci.yml'));
    expect(jobs.test.strategy.matrix.node).toContain(major);
    expect(jobs.test.steps.at(-1).run).toBe('.ci/run');
    // A shallow clone has no previous release, and skips its tests.
    expect(jobs.test.steps[0].with['fetch-depth']).toBe(0);
  });

  test('indent as the formatter does', () => {
    const { indentStyle, indentWidth, lineWidth } = JSON.parse(read('biome.json')).formatter;
    const editor = read('.editorconfig');
    expect(editor).toContain(`indent_style = ${indentStyle}\n`);
    expect(editor).toContain(`indent_size = ${indentWidth}\n`);
    expect(editor).toContain(`max_line_length = ${lineWidth}\n`);
  });

  test.each(workflowFiles)('%s may only read, unless a job says more, and ends in time', (file) => {
    const { permissions, jobs } = parse(read(`.github/workflows/${file}`));
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values<{ 'timeout-minutes': number }>(jobs)) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    }
  });

  test('are valid YAML', () => {
    const forms = readdirSync(`${root}.github/ISSUE_TEMPLATE`);
    for (const form of forms.filter((name) => name !== 'config.yml')) {
      const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${form}`));
      expect([name, description, body.length > 0]).toEqual([
        expect.any(String),
        expect.any(String),
        true,
      ]);
    }
    expect(parse(read('.github/dependabot.yml')).version).toBe(2);
  });
});
