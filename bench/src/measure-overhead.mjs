import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { migrate, startRuntime } from '@ceiba/devstack/programs';
import { loopback } from '@ceiba/devstack/settings';
import { mintApiKey } from '@ceiba/domain';
import { measureOnce } from './compare.mjs';
import { writeLines } from './lines.mjs';
import { spreadOf } from './report/statistics.ts';
import { decisionsOf } from './runtime.mjs';
import { seedProject } from './seed.ts';

const KEYS = 1_000;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 8;

const BUILT = fileURLToPath(new URL('../../apps/runtime/dist/main.js', import.meta.url));

/** Edits of the built program that take a part away. */
const PARTS = {
  'the decision log': [
    ['add(call, decision, charge) {\n    let tally;', 'add() {\n    return;\n    let tally;'],
  ],
  metrics: [
    ['  decided(decision) {', '  decided(decision) {\n    return;'],
    ['  answered(tookMs) {', '  answered(tookMs) {\n    return;'],
    ['carried: (items) => size.observe(items)', 'carried: () => {}'],
    ['took: (ms) => duration.observe(ms / 1e3)', 'took: () => {}'],
  ],
};

/**
 * @returns {Promise<Record<string, import('./report/statistics.ts').Spread>>} By load and part: µs of CPU
 *   per decision without the part and with everything, as medians with their spread, and multiples of
 *   it with everything, each of one round.
 */
export async function measureOverhead({ supervisor, services }, options) {
  const database = await createDatabase(services.databaseUrl, { prefix: 'ceiba_bench' });
  const own = { ...services, databaseUrl: database.url };
  const without = Object.entries(PARTS).map(([name, edits]) => ({ name, program: edited(edits) }));
  try {
    await migrate(supervisor, own);
    const project = await seedProject(own.databaseUrl, KEYS);
    const start = async (program) => {
      const runtimeUrl = `http://${loopback}:${await freePort()}`;
      const metricsUrl = `http://${loopback}:${await freePort()}`;
      const { pid } = await startRuntime(supervisor, own, { runtimeUrl, metricsUrl }, program);
      return { url: runtimeUrl, pid };
    };
    const runtimes = { everything: await start(BUILT) };
    for (const { name, program } of without) runtimes[`without ${name}`] = await start(program);
    const loads = {
      allowed: { keys: project.keys, marker: '"allowed":true' },
      'unknown keys': { keys: unknownKeys(), marker: '"allowed":false' },
    };
    const rows = {};
    for (const [load, { keys, marker }] of Object.entries(loads)) {
      const lines = writeLines(supervisor.dataDir, load.replace(' ', '-'), keys);
      const targetOf = ({ url }) => ({
        ...decisionsOf(url, project, project.projectId),
        ...lines,
        marker,
      });
      Object.assign(rows, await byTurns(load, runtimes, targetOf, options));
    }
    return rows;
  } finally {
    for (const { program } of without) rmSync(program, { force: true });
    await database.drop();
  }
}

async function byTurns(load, runtimes, targetOf, { generator, pids, rounds, seconds }) {
  const all = Object.entries(runtimes);
  for (const [, runtime] of all) {
    const warmUp = { connections: CONNECTIONS, seconds: WARM_UP_SECONDS };
    await generator.putLoad(targetOf(runtime), warmUp);
  }
  const costs = Object.fromEntries(all.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Each round starts with another one, so that none always follows the same one.
    for (const [name, runtime] of [
      ...all.slice(round % all.length),
      ...all.slice(0, round % all.length),
    ]) {
      const candidate = { pid: runtime.pid, target: targetOf(runtime), connections: CONNECTIONS };
      const { cpuMicroseconds, unexpected } = await measureOnce(candidate, {
        generator,
        pids,
        seconds,
      });
      if (unexpected > 0)
        throw new Error(`${unexpected} answers to ${load} were not the expected ones`);
      const { load: _, ...servers } = cpuMicroseconds;
      costs[name].push(Object.values(servers).reduce((sum, each) => sum + each, 0));
    }
  }
  const { everything, ...lacking } = costs;
  const rows = { [`${load}, everything, µs`]: spreadOf(everything) };
  for (const [name, each] of Object.entries(lacking)) {
    const ratios = everything.map((cost, round) => cost / each[round]);
    rows[`${load}, everything against ${name}`] = spreadOf(ratios);
  }
  return rows;
}

/** A copy of the program beside it. @throws Error where its text has changed */
function edited(edits) {
  let text = readFileSync(BUILT, 'utf8');
  for (const [from, to] of edits) {
    if (text.split(from).length !== 2) throw new Error(`the program does not have once: ${from}`);
    text = text.replace(from, to);
  }
  const path = BUILT.replace('main.js', `main.${randomBytes(4).toString('hex')}.js`);
  writeFileSync(path, text);
  return path;
}

const unknownKeys = () => Array.from({ length: KEYS }, () => mintApiKey(randomBytes).plaintext);
