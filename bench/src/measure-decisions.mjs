import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase, migrateDatabase } from '@ceiba/schema';
import { median, putLoad } from './load.mjs';
import { cpuMilliseconds, residentMiB } from './processes.mjs';
import { seedProject } from './seed.ts';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const RUNTIME_PORT = '27001';
const ECHO_PORT = '27002';
/** What is in use at a time in most services; the other run spreads the calls over all keys. */
const HOT_KEYS = 1_000;

/**
 * @param {{ databaseUrl: string, redisUrl: string, keys: number, rounds: number, seconds: number }} options
 */
export async function measureDecisions({ databaseUrl, redisUrl, keys, rounds, seconds }) {
  await migrateDatabase(databaseUrl, path('../../drizzle'));
  const project = await seedProject(databaseUrl, keys);
  const runtime = await startServer(path('../../apps/runtime/dist/main.js'), [], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    RUNTIME_PORT,
    LOG_LEVEL: 'warn',
  });
  const echo = await startServer(path('./echo.mjs'), [ECHO_PORT], {});
  try {
    const targets = targetsFor(project, HOT_KEYS);
    await waitUntilOk(`http://127.0.0.1:${RUNTIME_PORT}/ready`);
    await waitUntilOk(targets.echoes.url, { method: 'POST', body: '{}' });
    const rows = [];
    for (const keysInUse of [Math.min(HOT_KEYS, keys), keys]) {
      const spread = targetsFor(project, keysInUse);
      await useEachKeyOnce(databaseUrl, spread.decisions, keysInUse);
      for (const connections of [64, 1]) {
        const row = await compare(spread, { connections, rounds, seconds });
        rows.push({ keysInUse, ...row });
      }
    }
    const cpuMicroseconds = await cpuPerRequest(targets, { runtime, echo, seconds });
    return { rows, cpuMicroseconds, residentMiB: residentMiB(runtime.pid) };
  } finally {
    for (const child of [runtime, echo]) await stop(child);
  }
}

/** Calls with the keys at random; the first round takes them in turn, so that none is left out. */
function targetsFor({ projectId, projectSecret, keys }, keysInUse) {
  let asked = 0;
  const nextBody = () => {
    const index = asked < keysInUse ? asked : Math.floor(Math.random() * keysInUse);
    asked += 1;
    return JSON.stringify({ apiKey: keys[index], method: 'GET', path: '/v1/reports/42' });
  };
  return {
    decisions: {
      url: `http://127.0.0.1:${RUNTIME_PORT}/rt/projects/${projectId}/authorize`,
      headers: { 'x-service-project-secret': projectSecret },
      nextBody,
      isExpected: (status, body) => status === 200 && body.startsWith('{"allowed":true'),
    },
    echoes: {
      url: `http://127.0.0.1:${ECHO_PORT}/echo`,
      headers: {},
      nextBody,
      isExpected: (status) => status === 200,
    },
  };
}

/**
 * A service in the middle of its month: no key's first use, a counter for each key in Redis, every
 * program compiled, and what was counted on the way written down.
 */
async function useEachKeyOnce(databaseUrl, decisions, keysInUse) {
  const db = createDatabase(databaseUrl);
  await db.sql`update api_keys set last_used_at = now()`;
  const { unexpected } = await putLoad({ ...decisions, connections: 64, requests: keysInUse });
  if (unexpected > 0) throw new Error(`${unexpected} of the first calls were not admitted`);
  await waitUntilWritten(db, keysInUse);
  await db.sql`vacuum analyze`;
  await db.close();
  await putLoad({ ...decisions, connections: 64, seconds: 5 });
}

async function waitUntilWritten(db, keysInUse) {
  const endsAt = Date.now() + 60_000;
  while (Date.now() < endsAt) {
    const [{ written }] = await db.sql`select count(*)::int as written from usage_months`;
    if (written > keysInUse) return; // a row a key, and the project's
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the usage of the first calls was not written down');
}

async function compare({ decisions, echoes }, { connections, rounds, seconds }) {
  const runs = { decisions: [], echoes: [] };
  for (let round = 0; round < rounds; round += 1) {
    runs.echoes.push(await putLoad({ ...echoes, connections, seconds }));
    runs.decisions.push(await putLoad({ ...decisions, connections, seconds }));
  }
  const of = (list, field) => Math.round(median(list.map((run) => run[field])));
  const ratio = median(
    runs.decisions.map((run, round) => run.perSecond / runs.echoes[round].perSecond),
  );
  return {
    connections,
    decisionsPerSecond: of(runs.decisions, 'perSecond'),
    echoesPerSecond: of(runs.echoes, 'perSecond'),
    ratio: Number(ratio.toFixed(2)),
    p50Ms: of(runs.decisions, 'p50Ms'),
    p99Ms: of(runs.decisions, 'p99Ms'),
    unexpected: runs.decisions.reduce((sum, run) => sum + run.unexpected, 0),
  };
}

async function cpuPerRequest({ decisions, echoes }, { runtime, echo, seconds }) {
  const measure = async (child, target) => {
    const before = cpuMilliseconds(child.pid);
    const { perSecond } = await putLoad({ ...target, connections: 64, seconds });
    return Math.round(((cpuMilliseconds(child.pid) - before) * 1000) / (perSecond * seconds));
  };
  return {
    runtime: await measure(runtime, decisions),
    bareEcho: await measure(echo, echoes),
  };
}

async function startServer(file, args, settings) {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

async function stop(child) {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function waitUntilOk(url, request = {}) {
  const endsAt = Date.now() + 15_000;
  const headers = { 'content-type': 'application/json' };
  while (Date.now() < endsAt) {
    const reply = await fetch(url, { headers, ...request }).catch(() => null);
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not come up`);
}
