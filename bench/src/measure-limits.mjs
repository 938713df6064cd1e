import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { waitFor } from '@ceiba/devstack/wait';
import { digestOf } from '@ceiba/domain';
import { LOOKUP_STATEMENT, lookupParameters } from '@ceiba/schema';
import { Redis } from 'ioredis';
import { isOnPath } from './on-path.mjs';
import { cpuMsOf } from './processes.mjs';
import { spreadOf } from './report/statistics.ts';
import { decisionsOf } from './runtime.mjs';

const run = promisify(execFile);

/** Charges in one call of the script, and keys in one lookup. */
const SHARED_BY = [1, 32, 64];
const CLIENTS = 8;
const STATEMENTS = 16;

/**
 * Measures the script and the lookup alone, without a Runtime: where Redis and Postgres end.
 *
 * @param {{ supervisor: import('@ceiba/devstack/supervisor').Supervisor, runtime: { databaseUrl: string, redisUrl: string, url: string }, project: import('./seed.ts').SeededProject }} at
 * @param {{ pids: Record<string, number>, rounds: number, seconds: { limits: number } }} options
 */
export async function measureLimits(at, options) {
  const rows = [];
  for (const shared of SHARED_BY) {
    if (isOnPath('redis-benchmark') && isOnPath('redis-cli')) {
      rows.push(await measureScript(at, shared, options));
    }
    if (isOnPath('pgbench')) rows.push(await measureLookup(at, shared, options));
  }
  return rows;
}

async function measureScript({ runtime, project }, shared, { pids, rounds, seconds }) {
  const call = await captureCall(runtime, project, shared);
  const { hostname, port } = new URL(runtime.redisUrl);
  const benchmark = async (calls) => {
    const { stdout } = await run('redis-benchmark', [
      ...['-h', hostname, '-p', port || '6379', '-c', String(CLIENTS)],
      ...['-n', String(calls), '--csv', ...call],
    ]);
    // The columns after the name: calls a second, and six latencies.
    const perSecond = Number(/"([\d.]+)"(?:,"[\d.]+"){6}\s*$/.exec(stdout)?.[1]);
    if (!(perSecond > 0)) throw new Error(`redis-benchmark printed no rate: ${stdout}`);
    return perSecond;
  };
  const calls = Math.ceil((await benchmark(2_000)) * seconds.limits);
  const measure = async () => ({ calls, perSecond: await benchmark(calls) });
  return measureRounds({ part: 'script', shared, pid: pids.redis, rounds, measure });
}

async function measureRounds({ part, shared, pid, rounds, measure }) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuMsOf({ pid }).pid;
    const { calls, perSecond } = await measure();
    const cpuMs = cpuMsOf({ pid }).pid - before;
    runs.push({ perSecond: perSecond * shared, micros: (cpuMs * 1_000) / (calls * shared) });
  }
  const micros = runs.map((each) => each.micros).filter(Number.isFinite);
  return {
    part,
    shared,
    decisionsPerSecond: spreadOf(runs.map((each) => each.perSecond)),
    cpuMicroseconds: micros.length === 0 ? null : spreadOf(micros),
  };
}

/**
 * Sees the call that the Runtime sends to Redis for so many decisions, so that its arguments are real
 * ones, and moves its deadlines far into the future.
 */
async function captureCall(runtime, project, shared) {
  const isCall = (command) =>
    command[0] === 'evalsha' && command.at(-1)?.match(DEADLINES)?.length === shared;
  const captured = await captureCommand(runtime.redisUrl, isCall, () =>
    askOnce(runtime, project, shared),
  );
  const call = captured.map((argument) => argument.replace(/\\(.)/g, '$1'));
  call.push(call.pop().replace(DEADLINES, '99999999999999'));
  const redis = new Redis(runtime.redisUrl);
  const reply = await redis.call(...call);
  redis.disconnect();
  const allowed = reply.filter((field) => field === 'allowed').length;
  if (allowed === shared) return call;
  throw new Error(`a call of ${shared} charges allowed ${allowed} of them`);
}

/** Of the charges of a call, which are its last argument: Redis's time in ms. Its limits are shorter. */
const DEADLINES = /(?<=[[,])\d{13}(?=,)/g;

/** The first command that Redis reports to MONITOR and that is wanted, once `work` causes it. */
async function captureCommand(redisUrl, isWanted, work) {
  const monitor = spawn('redis-cli', ['-u', redisUrl, 'monitor'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let isConnected = false;
  let found;
  createInterface({ input: monitor.stdout }).on('line', (line) => {
    isConnected = true; // the first line is its OK
    const command = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, argument]) => argument);
    if (isWanted(command)) found ??= command;
  });
  try {
    await waitFor(() => isConnected, { timeoutMs: 5_000 });
    const isFound = async () => {
      await work();
      return waitFor(() => found, { timeoutMs: 500 });
    };
    if (await waitFor(isFound, { timeoutMs: 20_000 })) return found;
    throw new Error('the Runtime did not send the call that was waited for');
  } finally {
    monitor.kill();
  }
}

async function askOnce(runtime, project, shared) {
  const { url, path, headers } = decisionsOf(runtime.url, project, project.projectId, 2);
  const requests = project.keys
    .slice(0, shared)
    .map((apiKey) => ({ apiKey, method: 'GET', path: '/v1/reports/42' }));
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ requests }),
  });
  await answer.text();
}

async function measureLookup({ supervisor, runtime, project }, shared, options) {
  const { pids, rounds, seconds } = options;
  const folder = join(supervisor.dataDir, `lookups-${shared}`);
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: STATEMENTS }, (_, n) => {
    const file = join(folder, `${n}.sql`);
    const keys = project.keys.slice(n * shared, (n + 1) * shared);
    writeFileSync(file, `${lookupOf(project.projectId, keys)};\n`);
    return `--file=${file}`;
  });
  const benchmark = async (callsPerClient) => {
    const { stdout } = await run('pgbench', [
      ...['--no-vacuum', '--protocol=prepared', `--client=${CLIENTS}`],
      ...[`--transactions=${callsPerClient}`, ...files, runtime.databaseUrl],
    ]);
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    if (!(perSecond > 0)) throw new Error(`pgbench printed no rate: ${stdout}`);
    return perSecond;
  };
  const callsPerClient = Math.ceil(((await benchmark(100)) * seconds.limits) / CLIENTS);
  const calls = callsPerClient * CLIENTS;
  const measure = async () => ({ calls, perSecond: await benchmark(callsPerClient) });
  return measureRounds({ part: 'lookup', shared, pid: pids.postgres, rounds, measure });
}

/** The Runtime's statement with its parameters written out. */
function lookupOf(projectId, keys) {
  const items = keys.map((key) => ({ projectId, apiKeyDigest: digestOf(key) }));
  return lookupParameters([projectId], items)
    .reduce(
      (text, value, index) => text.replace(`$${index + 1}`, () => `'${value}'`),
      LOOKUP_STATEMENT,
    )
    .replaceAll(/\s+/g, ' ');
}
