/** The guides about customers, scopes and moving in: their commands in order, against a real Runtime. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { readGuide } from '../../support/guide.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-guides-'));

/** As `npx --no-install ceiba` in the folder of Ceiba. */
const NPX = `npx() {
  test "$1 $2" = '--no-install ceiba' && shift 2
  "${process.execPath}" "${root}/apps/cli/bin/ceiba.mjs" "$@"
}\n`;

let database: TestDatabase;
let runtime: RunningRuntime;
beforeAll(async () => {
  database = await createTestDatabase();
  const redisUrl = process.env.REDIS_URL ?? '';
  runtime = await startRuntime({ databaseUrl: database.url, redisUrl });
});
afterAll(async () => {
  await runtime?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs the blocks of shell commands as one session, as a reader who has nothing but `npm start`; each
 * `ask` prints the Runtime's answer.
 */
function outputOf(text: string): string {
  const script = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code).join('');
  return execFileSync('sh', ['-euc', NPX + script.replace('http://127.0.0.1:4000', runtime.url)], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATABASE_URL: database.url },
  });
}

test.each([
  ['learn/scopes.md', ['# scopes.yaml', '# plans.yaml'], []],
  ['learn/customers.md', ['# customers.yaml'], ['customers.csv']],
  ['learn/moving-in.md', ['# moving-in.yaml'], []],
])(
  '%s shows what is allowed and what is denied',
  (path, yaml, csv) => {
    const guide = readGuide(path);
    for (const name of yaml) writeFileSync(join(folder, name.slice(2)), guide.block('yaml', name));
    for (const name of csv) writeFileSync(join(folder, name), guide.block('csv', 'externalId'));
    const output = outputOf(guide.text);
    const answers = output
      .split('\n')
      .filter((line) => line.includes('"decisionId"'))
      .map((line) => JSON.parse(line));
    const shown = [...guide.text.matchAll(/^ask ".*# (\w+)$/gm)].map(([, outcome]) => outcome);
    expect(
      answers.map(({ allowed, denialReason }) => (allowed ? 'allowed' : denialReason)),
    ).toEqual(shown);
    expect(shown.length).toBeGreaterThan(5);
    if (path === 'learn/customers.md') {
      expect(answers[0].access.customer).toMatchObject({
        externalId: 'acme',
        plan: { name: 'Basic' },
      });
      expect(answers[3].exceededLimit).toEqual({
        owner: 'customer_plan',
        window: 'month',
        value: 3,
      });
      expect([...output.matchAll(/^(?:created|unchanged|refused) +\d+$/gm)].map(String)).toEqual(
        [2, 0, 0, 2, 0, 0, 0, 2, 0].map(
          (count, index) => `${['created  ', 'unchanged', 'refused  '][index % 3]}  ${count}`,
        ),
      );
    }
  },
  180_000,
);
