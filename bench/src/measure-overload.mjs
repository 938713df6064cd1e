import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { summaryOf } from './open-loop.mjs';
import { quantile } from './quantile.mjs';
import { seedTwoProjects } from './seed-overload.ts';

const KEYS_OF_EACH = 100;
/** As many as hosts with connections to spare: requests wait in the Runtime, not in the generator. */
const FLOOD_CONNECTIONS = 512;
const CONNECTIONS = 64;
/** Of the capacity. */
const UNLOADED = 0.25;
const QUIET = 0.05;
const FLOOD = 3;
/** How long after its start an overload counts as steady, in ms. */
const SETTLED_MS = 1_000;

/** @param {{ databaseUrl: string, port: number, seconds: number }} options */
export async function measureCapacity({ databaseUrl, port, seconds }) {
  const [project] = await seedTwoProjects(databaseUrl, KEYS_OF_EACH);
  return capacityOf(project, { port, seconds });
}

/**
 * What happens at three times the capacity, and to a project beside another one's flood.
 *
 * @param {{ databaseUrl: string, port: number, seconds: number }} options
 */
export async function measureOverload({ databaseUrl, port, seconds }) {
  const [flooding, quiet] = await seedTwoProjects(databaseUrl, KEYS_OF_EACH);
  const send = ({ requests }, perSecond, connections) =>
    sendFromThread({ port, requests, perSecond, seconds, connections });

  const capacity = await capacityOf(flooding, { port, seconds });
  const unloaded = await send(flooding, UNLOADED * capacity, CONNECTIONS);
  const overload = await send(flooding, FLOOD * capacity, FLOOD_CONNECTIONS);
  const after = await send(flooding, UNLOADED * capacity, CONNECTIONS);
  const alone = await send(quiet, QUIET * capacity, CONNECTIONS);
  const [flood, beside] = await Promise.all([
    send(flooding, FLOOD * capacity, FLOOD_CONNECTIONS),
    send(quiet, QUIET * capacity, CONNECTIONS),
  ]);
  const refused = await withRefusingServer((refusingPort) =>
    sendFromThread({
      port: refusingPort,
      requests: flooding.requests,
      perSecond: FLOOD * capacity,
      seconds,
      connections: FLOOD_CONNECTIONS,
    }),
  );
  const steady = (samples) => summaryOf(samples.filter(({ dueAt }) => dueAt >= SETTLED_MS));
  return {
    capacityPerSecond: Math.round(capacity),
    rows: {
      unloaded: summaryOf(unloaded),
      'at 3 times the capacity, first second': summaryOf(
        overload.filter(({ dueAt }) => dueAt < SETTLED_MS),
      ),
      'at 3 times the capacity, then': steady(overload),
      'after the overload': summaryOf(after),
      'another project alone': summaryOf(alone),
      'beside the flood': steady(beside),
      'the flood itself': steady(flood),
    },
    refusedP99Ms: quantile(
      refused.filter(({ dueAt }) => dueAt >= SETTLED_MS).map(({ tookMs }) => tookMs),
      0.99,
    ),
    recoveryMs: recoveryOf(after, 5 * summaryOf(unloaded).p99Ms),
  };
}

/**
 * The floor: a server that judges nothing. If even its answers are late at this rate, the cores that
 * it shares with the generator are the limit, not how the Runtime sheds.
 */
async function withRefusingServer(work) {
  const path = fileURLToPath(new URL('./refusing-server.mjs', import.meta.url));
  const server = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(server.stdout, 'data');
    return await work(Number(String(line)));
  } finally {
    server.kill();
  }
}

async function capacityOf({ requests }, { port, seconds }) {
  const run = { port, requests, perSecond: Number.POSITIVE_INFINITY, connections: CONNECTIONS };
  await sendFromThread({ ...run, seconds: 2 }); // compiles the code, and uses each key once
  const { decided, failed, shed } = summaryOf(await sendFromThread({ ...run, seconds }));
  if (failed + shed > decided / 100) {
    throw new Error(`${failed} requests failed and ${shed} were shed while measuring the capacity`);
  }
  return decided / seconds;
}

/**
 * From an event loop of its own, so that one stream's answers do not wait for those of another.
 *
 * @returns {Promise<import('./open-loop.mjs').Sample[]>}
 */
async function sendFromThread(stream) {
  const thread = new Worker(new URL('./sender.mjs', import.meta.url), { workerData: stream });
  const [samples] = await once(thread, 'message');
  return samples;
}

/** When the last request was due that was not decided within the given time, in ms since the overload. */
function recoveryOf(samples, withinMs) {
  const late = samples.filter(({ status, tookMs }) => status !== 200 || tookMs > withinMs);
  return (
    Math.round(
      quantile(
        late.map(({ dueAt }) => dueAt),
        1,
      ),
    ) || 0
  );
}
