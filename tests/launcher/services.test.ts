import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withConnection } from '@ceiba/devstack/databases';
import { startOf } from '@ceiba/devstack/processes';
import { waitFor } from '@ceiba/devstack/wait';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { realRedis } from '../support/redis.ts';

const command = fileURLToPath(new URL('./services-command.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

interface Running {
  launcher: ChildProcess;
  databaseUrl: string;
  redisUrl: string;
  isRealRedis: boolean;
  processes: { watchdog: number; PostgreSQL: number; Redis: number };
}

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function dataFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'ceiba-launcher-'));
  chmodSync(folder, 0o711);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the command, and returns its JSON line, or its whole output when it failed. */
async function start(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Running | string> {
  const { DATABASE_URL: _d, REDIS_URL: _r, ...inherited } = process.env;
  const launcher = spawn(process.execPath, ['--import', 'tsx', command, dataDir], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  cleanups.push(() => stop(launcher));
  let output = '';
  for await (const line of createInterface({ input: launcher.stdout! })) {
    if (line.startsWith('{')) return { launcher, ...JSON.parse(line) };
    output += `${line}\n`;
  }
  return output;
}

async function started(dataDir: string, env?: NodeJS.ProcessEnv): Promise<Running> {
  const running = await start(dataDir, env);
  if (typeof running === 'string') throw new Error(`the command failed:\n${running}`);
  return running;
}

async function stop(launcher: ChildProcess): Promise<void> {
  if (launcher.exitCode !== null || launcher.signalCode !== null) return;
  launcher.kill('SIGINT');
  await once(launcher, 'exit');
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  expect(await waitFor(() => startOf(pid) === undefined, { timeoutMs: 5000 })).toBe(true);
}

const writeMark = (url: string) =>
  withConnection(url, async (sql) => {
    await sql`create table mark (value text)`;
    await sql`insert into mark values ('kept')`;
  });

const readMark = (url: string) =>
  withConnection(url, async (sql) => (await sql`select value from mark`)[0]?.value as unknown);

describe('startServices', () => {
  it('starts servers that listen only on loopback', async () => {
    const { databaseUrl, redisUrl } = await started(dataFolder());
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter((address) => !address.internal && address.family === 'IPv4');
    for (const url of [databaseUrl, redisUrl]) {
      const { hostname, port } = new URL(url);
      expect(hostname).toBe('127.0.0.1');
      expect(await accepts('127.0.0.1', port)).toBe(true);
      for (const { address } of outside) expect(await accepts(address, port)).toBe(false);
    }
  });

  it('starts a durable PostgreSQL that requires a password', async () => {
    const { databaseUrl } = await started(dataFolder());
    const settings = await withConnection(
      databaseUrl,
      (sql) =>
        sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`,
    );
    expect(settings.map((row) => row.setting)).toEqual(['on', 'on']);
    const withoutPassword = new URL(databaseUrl);
    withoutPassword.password = 'guess';
    const refused = withConnection(withoutPassword.toString(), (sql) => sql`select 1`);
    await expect(refused).rejects.toMatchObject({ code: '28P01' });
  });

  it.skipIf(realRedis === undefined)('starts a persistent Redis without eviction', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    const redis = new Redis(first.redisUrl);
    expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    expect(await redis.config('GET', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual([
      'maxmemory-policy',
      'noeviction',
    ]);
    await redis.set('mark', 'kept');
    redis.disconnect();
    await stop(first.launcher);
    const second = new Redis((await started(dataDir)).redisUrl);
    expect(await second.get('mark')).toBe('kept');
    second.disconnect();
  });

  it('starts the Redis on PATH, else the one in JavaScript', async () => {
    const withPath = await started(dataFolder());
    expect(withPath.isRealRedis).toBe(realRedis !== undefined);
    const withoutPath = await started(dataFolder(), { PATH: pathOf('unshare', 'id', 'sh') });
    expect(withoutPath.isRealRedis).toBe(false);
    const redis = new Redis(withoutPath.redisUrl);
    expect(await redis.set('mark', 'set')).toBe('OK');
    redis.disconnect();
  });

  it('stops the servers in order on Ctrl-C, and starts them again with their data', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    await writeMark(first.databaseUrl);
    // Ctrl-C reaches the whole foreground process group, not the launcher alone.
    process.kill(-first.launcher.pid!, 'SIGINT');
    await once(first.launcher, 'exit');
    for (const pid of Object.values(first.processes)) {
      expect(await waitFor(() => startOf(pid) === undefined, { timeoutMs: 5000 })).toBe(true);
    }
    expect(log(dataDir, 'postgresql')).toContain('database system is shut down');
    const second = await started(dataDir);
    expect(await readMark(second.databaseUrl)).toBe('kept');
  });

  it('leaves no server behind when the launcher is killed with -9, and the next start works', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    await writeMark(first.databaseUrl);
    await kill(first.launcher.pid!);
    const second = await started(dataDir);
    for (const pid of Object.values(first.processes)) expect(startOf(pid)).toBeUndefined();
    expect(await readMark(second.databaseUrl)).toBe('kept');
  });

  it('adopts PostgreSQL and replaces Redis when the watchdog was killed as well', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    await writeMark(first.databaseUrl);
    await kill(first.processes.watchdog);
    await kill(first.launcher.pid!);
    const second = await started(dataDir);
    expect(second.processes.PostgreSQL).toBe(first.processes.PostgreSQL);
    expect(startOf(first.processes.Redis)).toBeUndefined();
    expect(await readMark(second.databaseUrl)).toBe('kept');
    await stop(second.launcher);
    expect(startOf(second.processes.PostgreSQL)).toBeUndefined();
  });

  it('starts PostgreSQL despite a stale process id file that names another process', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    await writeMark(first.databaseUrl);
    await stop(first.launcher);
    const lines = [process.pid, join(dataDir, 'postgres'), 0, 1, '', '127.0.0.1', 0, 'ready'];
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), `${lines.join('\n')}\n`);
    const second = await started(dataDir);
    expect(await readMark(second.databaseUrl)).toBe('kept');
  });

  it('starts PostgreSQL after an interrupted initialisation', async () => {
    const dataDir = dataFolder();
    mkdirSync(join(dataDir, 'postgres.new'));
    writeFileSync(join(dataDir, 'postgres.new/PG_VERSION'), '18\n');
    const { databaseUrl } = await started(dataDir);
    await writeMark(databaseUrl);
  });

  it('refuses a second launcher on the same data and names the process to stop', async () => {
    const dataDir = dataFolder();
    const first = await started(dataDir);
    const refusal = await start(dataDir);
    expect(refusal).toContain(`already runs from ${dataDir} (process ${first.launcher.pid})`);
    await writeMark(first.databaseUrl);
  });

  // Only root needs another user for PostgreSQL, one that cannot enter root's home.
  if (isRoot) {
    it('runs PostgreSQL for root below a closed home, in a user namespace', async () => {
      const dataDir = dataFolder(homedir());
      const { databaseUrl } = await started(dataDir);
      await writeMark(databaseUrl);
    });

    it('runs PostgreSQL for root below a closed home where namespaces are refused', async () => {
      const dataDir = dataFolder(homedir());
      const programs = dataFolder();
      writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      const env = { PATH: `${programs}:${process.env.PATH}` };
      const first = await started(dataDir, env);
      const moved = readlinkSync(join(dataDir, 'postgres'));
      cleanups.splice(1, 0, () => rmSync(dirname(moved), { recursive: true, force: true }));
      await writeMark(first.databaseUrl);
      await stop(first.launcher);
      const second = await started(dataDir, env);
      expect(await readMark(second.databaseUrl)).toBe('kept');
      await stop(second.launcher);
      // Now on a machine that allows namespaces.
      expect(await readMark((await started(dataDir)).databaseUrl)).toBe('kept');
    });
  }
});

/** A PATH with these programs only. */
function pathOf(...programs: string[]): string {
  const folder = dataFolder();
  for (const program of programs) {
    const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
    if (found.status === 0) symlinkSync(found.stdout.trim(), join(folder, program));
  }
  return folder;
}

function log(dataDir: string, name: string): string {
  return readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');
}

function accepts(host: string, port: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
