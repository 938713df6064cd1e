import { fileURLToPath } from 'node:url';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { loopback } from '@ceiba/devstack/settings';
import { waitFor } from '@ceiba/devstack/wait';
import { digestOf } from '@ceiba/domain';
import { compare, WARM_UP_SECONDS } from './compare.mjs';
import { CONTENDERS } from './contenders.mjs';
import { writeLines } from './lines.mjs';
import { decisionsOf } from './runtime.mjs';
import { seedContenders } from './seed-contenders.mjs';
import { createKeyChanges, validate } from './validate.mjs';

const CONNECTIONS = 64;

/**
 * Starts all contenders on the same databases with the same keys, checks their answers, and compares
 * them with many connections and with one.
 *
 * @param {object} at
 * @param {import('@ceiba/devstack/supervisor').Supervisor} at.supervisor
 * @param {{ databaseUrl: string, redisUrl: string, url: string, pid: number }} at.runtime
 * @param {import('./seed.ts').SeededProject} at.project
 * @param {object} options
 * @param {import('./load/generator.mjs').Generator} options.generator
 * @param {Record<string, number>} options.pids
 * @param {number} options.rounds
 * @param {{ contenders: number, alone: number }} options.seconds
 * @param {number} options.keysInUse
 */
export async function measureContenders({ supervisor, runtime, project }, options) {
  await seedContenders(runtime.databaseUrl, project.projectId);
  const started = [];
  try {
    const candidates = await startAll(started, { supervisor, runtime, project }, options);
    const { seconds } = options;
    const many = await compare(candidates, { ...options, seconds: seconds.contenders });
    const alone = await compare(
      candidates.map((candidate) => ({ ...candidate, connections: 1 })),
      { ...options, seconds: seconds.alone },
    );
    return CONTENDERS.map((contender) => resultOf(contender, many, alone));
  } finally {
    for (const service of started) await service.stop();
  }
}

async function startAll(started, { supervisor, runtime, project }, options) {
  const inUse = project.keys.slice(0, options.keysInUse);
  const lines = writeLines(supervisor.dataDir, 'contenders', inUse);
  const candidates = [];
  for (const [index, contender] of CONTENDERS.entries()) {
    const at = { supervisor, runtime, project, started };
    const { pid, target } = await startContender(contender, at);
    await waitUntilAnswering(target, project.keys[0]);
    const connections = contender.connections ?? CONNECTIONS;
    const candidate = { id: contender.id, pid, target: { ...target, ...lines }, connections };
    const seconds = Math.min(4 * options.seconds.contenders, WARM_UP_SECONDS);
    await options.generator.putLoad(candidate.target, { connections, seconds });
    await check(contender, target, { runtime, keys: project.keys, index });
    candidates.push(candidate);
  }
  return candidates;
}

function resultOf({ id, name, kind, guarantees, perRequest, connections }, many, alone) {
  const { perSecond, p50Ms, p99Ms, unexpected } = alone[id];
  return {
    id,
    name,
    kind,
    guarantees: guarantees ?? null,
    perRequest: perRequest ?? 1,
    connections: connections ?? CONNECTIONS,
    ...many[id],
    alone: { perSecond, p50Ms, p99Ms },
    unexpected: many[id].unexpected + unexpected,
  };
}

async function startContender({ id, kind, program, perRequest = 1 }, at) {
  const { supervisor, runtime, project, started } = at;
  if (program === undefined) {
    const target = decisionsOf(runtime.url, project, project.projectId, perRequest);
    return { pid: runtime.pid, target };
  }
  const port = await freePort();
  const service = await supervisor.spawn({
    name: id,
    command: process.execPath,
    args: [fileURLToPath(new URL(`./contenders/${program}`, import.meta.url))],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: runtime.databaseUrl,
      REDIS_URL: runtime.redisUrl,
      NAME: id,
      PORT: String(port),
    },
    stage: 1,
  });
  started.push(service);
  if (!(await waitFor(() => accepts(port), { timeoutMs: 20_000 }))) {
    throw new Error(`${id} does not answer:\n${service.tail()}`);
  }
  const marker = kind === 'echo' ? '/v1/reports/42' : '"allowed":true';
  const url = `http://${loopback}:${port}`;
  return { pid: service.pid, target: { url, path: '/verify', headers: {}, perRequest: 1, marker } };
}

/** A process that has just started may be too slow for its own deadline. */
async function waitUntilAnswering(target, apiKey) {
  let problem;
  const isAnswered = () =>
    ask(target, apiKey).catch((error) => {
      problem = error;
    });
  if (await waitFor(isAnswered, { timeoutMs: 20_000 })) return;
  throw problem ?? new Error(`${target.url} denies a good key`);
}

/** Each contender gets two keys of its own, from the end of the list. */
async function check(contender, target, { runtime, keys, index }) {
  const [limited, revoked] = keys.slice(keys.length - 2 * (index + 1)).slice(0, 2);
  const changes = createKeyChanges(runtime.databaseUrl);
  await changes.limit(contender, digestOf(limited));
  const revoke = () => changes.revoke(contender, digestOf(revoked));
  await validate(contender, (apiKey) => ask(target, apiKey), {
    good: keys[0],
    limited,
    revoked,
    revoke,
  });
}

async function ask({ url, path, headers, perRequest, marker }, apiKey) {
  const question = { apiKey, method: 'GET', path: '/v1/reports/42' };
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(perRequest === 1 ? question : { requests: [question] }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text.includes(marker);
}
