/**
 * Compares builds of the Runtime with each other, in turns on the same databases: what a change of the
 * code saves. A bare Hono echo runs among them, as the unit.
 *
 *   node --import tsx bench/turns.mjs before=/elsewhere/apps/runtime/dist/main.js after=apps/runtime/dist/main.js
 *
 * `--customers` repeats it with one customer per key, and with one for ten keys. Instead of that,
 * `--projects=10000` measures decisions of one project and of as many, used evenly.
 *
 * A build needs no `node_modules` beside it that this repository does not have. Processes of one build
 * differ by a tenth, as V8 happens to compile them, so `--processes` starts several of each.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { startRuntime } from '@ceiba/devstack/programs';
import { loopback } from '@ceiba/devstack/settings';
import { waitFor } from '@ceiba/devstack/wait';
import { measureOnce, WARM_UP_SECONDS } from './src/compare.mjs';
import { writeLines } from './src/lines.mjs';
import { createGenerator } from './src/load/generator.mjs';
import { significant, spreadOf } from './src/report/statistics.ts';
import { decisionsOf, withRuntime } from './src/runtime.mjs';
import { seedCustomers, seedProject, seedProjects } from './src/seed.ts';
import { describeServers, startServers } from './src/servers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    processes: { type: 'string', default: '2' },
    customers: { type: 'boolean', default: false },
    projects: { type: 'string' },
    'warm-up': { type: 'string', default: String(WARM_UP_SECONDS) },
  },
});
const builds = positionals.map((each) => {
  const [name, program] = each.split('=');
  return { name, program: resolve(program ?? '') };
});
const KEYS_IN_USE = 1_000;
const LOADS = [
  { name: 'one by one', perRequest: 1, connections: 64 },
  { name: 'batches of 32', perRequest: 32, connections: 8 },
];
const [ONE_BY_ONE] = LOADS;
const ofCustomers = [undefined, ...(values.customers ? [1, 10] : [])].flatMap((keysPerCustomer) =>
  LOADS.map((load) => ({
    ...load,
    keysPerCustomer,
    name: keysPerCustomer ? `${load.name}, ${keysPerCustomer} keys a customer` : load.name,
  })),
);
// A batch is of one project.
const loads = values.projects
  ? [ONE_BY_ONE, { ...ONE_BY_ONE, name: `one by one, ${values.projects} projects`, isOfMany: true }]
  : ofCustomers;
process.env.LOG_LEVEL ??= 'warn';

await runMain(() =>
  supervised(async (supervisor) => {
    if (builds.length === 0) throw new LauncherError('Name at least one build: name=path.');
    const services = await startServers(supervisor);
    const generator = createGenerator();
    const { pids } = await describeServers(services, generator.name);
    await withRuntime(supervisor, services, async (own) => {
      const project = await seedProject(own.databaseUrl, 200_000);
      const write = (name, lines) => writeLines(supervisor.dataDir, name, lines);
      const lines = write('turns', project.keys.slice(0, KEYS_IN_USE));
      const many =
        values.projects && (await seedProjects(own.databaseUrl, Number(values.projects)));
      const ofMany =
        many &&
        write(
          'many',
          many.ids.map((id, index) => id + many.keys[index]),
        );
      const echo = await startEcho(supervisor);
      const runtimes = [];
      for (let copy = 0; copy < Number(values.processes); copy += 1) {
        for (const { name, program } of builds) {
          const runtimeUrl = `http://${loopback}:${await freePort()}`;
          const metricsUrl = `http://${loopback}:${await freePort()}`;
          const { pid } = await startRuntime(
            supervisor,
            own,
            { runtimeUrl, metricsUrl },
            { program },
          );
          runtimes.push({ name, pid, url: runtimeUrl });
        }
      }
      for (const { name, perRequest, connections, keysPerCustomer, isOfMany } of loads) {
        if (keysPerCustomer && name.startsWith(ONE_BY_ONE.name)) {
          await seedCustomers(own.databaseUrl, project.projectId, keysPerCustomer);
        }
        const candidates = runtimes.map((runtime) => ({
          ...runtime,
          connections,
          target: isOfMany
            ? { ...decisionsOf(runtime.url, many, '{projectId}'), ...ofMany }
            : { ...decisionsOf(runtime.url, project, project.projectId, perRequest), ...lines },
        }));
        candidates.push({ ...echo, connections: 64, target: { ...echo.target, ...lines } });
        for (const { target } of candidates) {
          await generator.putLoad(target, { connections, seconds: Number(values['warm-up']) });
        }
        const runs = new Map();
        for (let round = 0; round < Number(values.rounds); round += 1) {
          for (const candidate of candidates) {
            const run = await measureOnce(candidate, {
              generator,
              pids,
              seconds: Number(values.seconds),
            });
            runs.set(candidate.name, [...(runs.get(candidate.name) ?? []), run]);
          }
        }
        report(name, runs);
      }
    });
    return 0;
  }),
);

async function startEcho(supervisor) {
  const port = await freePort();
  const { pid } = await supervisor.spawn({
    name: 'echo',
    command: process.execPath,
    args: [fileURLToPath(new URL('./src/contenders/hono-echo.mjs', import.meta.url))],
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port) },
    stage: 1,
  });
  await waitFor(() => accepts(port), { timeoutMs: 20_000 });
  const url = `http://${loopback}:${port}`;
  const target = { url, path: '/verify', headers: {}, perRequest: 1, marker: '/v1/reports/42' };
  return { name: 'echo', pid, target };
}

/** @param {Map<string, any[]>} runs by name */
function report(load, runs) {
  console.log(`\n${load}: medians (least to most)`);
  for (const [name, all] of runs) {
    const of = (pick) => {
      const { median, least, most } = spreadOf(all.map(pick));
      return `${significant(median)} (${significant(least)}–${significant(most)})`;
    };
    const cpu = (process) => of(({ cpuMicroseconds }) => cpuMicroseconds[process]);
    const unexpected = all.reduce((sum, run) => sum + run.unexpected, 0);
    console.log(
      `  ${name.padEnd(10)} ${of((run) => run.perSecond)} a second, p99 ${of((run) => run.p99Ms)} ms, ` +
        `Node ${cpu('server')} µs, Redis ${cpu('redis')}, Postgres ${cpu('postgres')}, unexpected ${unexpected}`,
    );
  }
}
