import { capture } from '@ceiba/devstack/processes';
import { waitFor } from '@ceiba/devstack/wait';
import { createDatabase } from '@ceiba/schema';
import { median, putLoad } from './load.mjs';
import { seedProject } from './seed.ts';

/** As many as most services have in use at a time; the other run spreads the calls over all keys. */
const HOT_KEYS = 1_000;

/**
 * @typedef {{ url: string, pid: number }} Server
 * @param {{ databaseUrl: string, runtime: Server, echo: Server, keys: number, rounds: number, seconds: number }} options
 */
export async function measureDecisions({ databaseUrl, runtime, echo, keys, rounds, seconds }) {
  const project = await seedProject(databaseUrl, keys);
  const targetsOf = (keysInUse) => targetsFor(project, { runtime, echo, keysInUse });
  const targets = targetsOf(HOT_KEYS);
  const rows = [];
  for (const keysInUse of [Math.min(HOT_KEYS, keys), keys]) {
    const spread = targetsOf(keysInUse);
    await useEachKeyOnce(databaseUrl, spread.decisions, keysInUse);
    for (const connections of [64, 1]) {
      const row = await compare(spread, { connections, rounds, seconds });
      rows.push({ keysInUse, ...row });
    }
  }
  const cpuMicroseconds = await cpuPerRequest(targets, { runtime, echo, seconds });
  return { rows, cpuMicroseconds, residentMiB: residentMiB(runtime.pid) };
}

/** Calls with random keys; the first round uses each key once. */
function targetsFor({ projectId, projectSecret, keys }, { runtime, echo, keysInUse }) {
  let asked = 0;
  const nextBody = () => {
    const index = asked < keysInUse ? asked : Math.floor(Math.random() * keysInUse);
    asked += 1;
    return JSON.stringify({ apiKey: keys[index], method: 'GET', path: '/v1/reports/42' });
  };
  return {
    decisions: {
      url: `${runtime.url}/rt/projects/${projectId}/authorize`,
      headers: { 'x-service-project-secret': projectSecret },
      nextBody,
      isExpected: (status, body) => status === 200 && body.startsWith('{"allowed":true'),
    },
    echoes: {
      url: `${echo.url}/echo`,
      headers: {},
      nextBody,
      isExpected: (status) => status === 200,
    },
  };
}

/**
 * Brings the service to the middle of its month: no first use of a key is left, Redis has a counter
 * for each key, all code is compiled, and the usage so far is in Postgres.
 */
async function useEachKeyOnce(databaseUrl, decisions, keysInUse) {
  const db = createDatabase(databaseUrl);
  await db.sql`update api_keys set last_used_at = now()`;
  const { unexpected } = await putLoad({ ...decisions, connections: 64, requests: keysInUse });
  if (unexpected > 0) throw new Error(`${unexpected} of the first calls were not allowed`);
  await waitUntilWritten(db, keysInUse);
  await db.sql`vacuum analyze`;
  await db.close();
  await putLoad({ ...decisions, connections: 64, seconds: 5 });
}

async function waitUntilWritten(db, keysInUse) {
  const isWritten = async () => {
    const [{ written }] = await db.sql`select count(*)::int as written from usage_months`;
    return written > keysInUse; // one row per key, and the project's
  };
  if (await waitFor(isWritten, { timeoutMs: 60_000, intervalMs: 500 })) return;
  throw new Error('the usage of the first calls did not reach Postgres');
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
  const measure = async ({ pid }, target) => {
    const before = cpuMilliseconds(pid);
    const { perSecond } = await putLoad({ ...target, connections: 64, seconds });
    return Math.round(((cpuMilliseconds(pid) - before) * 1000) / (perSecond * seconds));
  };
  return {
    runtime: await measure(runtime, decisions),
    bareEcho: await measure(echo, echoes),
  };
}

const ps = (pid, column) => capture('ps', ['-o', `${column}=`, '-p', String(pid)]);

/** The resident memory of the process, in MiB. */
const residentMiB = (pid) => Math.round(Number(ps(pid, 'rss')) / 1024);

/** The CPU time of the process in ms, with a resolution of one second. */
function cpuMilliseconds(pid) {
  const [seconds = 0, minutes = 0, hours = 0] = ps(pid, 'cputime')
    .split(/[:-]/)
    .reverse()
    .map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
