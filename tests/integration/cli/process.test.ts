import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { OWNER_PASSWORD, useDesk } from './support.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = join(root, 'apps/cli/bin/ceiba.mjs');

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts the program with only PATH from this process's environment. */
async function start(args: readonly string[], env: Record<string, string>, stdin = '') {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  });
  running.push(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exited, stdout, stderr };
}

const desk = useDesk();
const YAML = 'owner: { email: ops@example.com }\nprojects: [{ name: reports }]\n';

describe('the program', () => {
  const ceiba = (args: string[], env: Record<string, string> = {}, stdin = '') =>
    start([program, ...args], { DATABASE_URL: desk.url, ...env }, stdin);

  test('reads a pipe, writes one JSON document to stdout and exits with 0', async () => {
    const env = { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD };
    const { code, stdout, stderr } = await ceiba(['apply', '-f', '-', '--json'], env, YAML);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).projects).toMatchObject([{ name: 'reports' }]);
  });

  /** Like `ceiba … | head -0`: the output is not read. */
  async function intoClosedPipe(
    args: string[],
    stdin = '',
    closed: 'stdout' | 'stderr' = 'stdout',
  ) {
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: desk.url,
      CEIBA_OWNER_PASSWORD: OWNER_PASSWORD,
    };
    const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'pipe' });
    running.push(child);
    child[closed].destroy();
    child.stdin.end(stdin);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const stderr = closed === 'stderr' ? '' : await text(child.stderr);
    return { stderr, code: await exited };
  }

  test('reports that a secret may be lost if its output is not read', async () => {
    const applied = await intoClosedPipe(['apply', '-f', '-', '--json'], YAML);
    expect(applied.stderr).toMatch(/could not be written \(EPIPE\).*rotate-secret/);
    expect(applied.code).toBe(1);
    const [project] = await desk.db.sql<{ id: string }[]>`select id from projects`;
    const rotate = ['project', 'rotate-secret', '--show-secret', '--project', project!.id];
    const rotated = await intoClosedPipe(rotate);
    expect(rotated.stderr).toMatch(/could not be written \(EPIPE\).*rotate-secret/);
    expect(rotated.code).toBe(1);
    const create = ['key', 'create', '--show-secret', '--name', 'a', '--project', project!.id];
    const created = await intoClosedPipe(create);
    expect(created.stderr).toMatch(/could not be written \(EPIPE\).*ceiba key revoke/);
    expect(created.code).toBe(1);
  });

  test('exits silently and as usual if output without a secret is not read', async () => {
    const quiet = { stderr: '', code: 0 };
    expect(await intoClosedPipe(['--help'])).toEqual(quiet);
    const apply = ['apply', '-f', '-', '--show-secret'];
    await ceiba(apply, { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD }, YAML);
    expect(await intoClosedPipe(['apply', '-f', '-'], YAML)).toEqual(quiet);
    expect(await intoClosedPipe(['frobnicate'], '', 'stderr')).toEqual({ stderr: '', code: 2 });
  });

  test('points to --help for an unknown command', async () => {
    const { code, stderr } = await ceiba(['frobnicate']);
    expect(code).toBe(2);
    expect(stderr).toBe("error: unknown command 'frobnicate'\nFor help, run: ceiba --help\n");
  });

  test('exits with 2 for an invalid file and with 1 for an unreachable server', async () => {
    const wrong = await ceiba(['apply', '-f', '-'], {}, 'plan: []');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('plan (line 1): is not a known field');
    const away = { DATABASE_URL: 'postgres://ceiba@127.0.0.1:1/ceiba' };
    expect(await ceiba(['apply', '-f', '-'], away, 'plans: []')).toMatchObject({ code: 1 });
  });
});

describe('bin/ceiba.mjs', () => {
  test('says how to build the program if it is not built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ceiba-bin-'));
    try {
      cpSync(join(root, 'apps/cli/bin'), join(folder, 'bin'), { recursive: true });
      expect(await start([join(folder, 'bin/ceiba.mjs'), 'migrate'], {})).toEqual({
        code: 1,
        stdout: '',
        stderr: 'ceiba is not built yet. In the workspace, run: npm run build\n',
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
