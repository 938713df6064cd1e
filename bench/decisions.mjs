/**
 * Measures what a decision costs, against other ways to check a key on the same Postgres and Redis;
 * where the limits of the parts are; and whether the cost grows with the data.
 *
 * Run it with `npm run bench`, after `npm run build`. It creates databases of its own on the server
 * of DATABASE_URL, and uses REDIS_URL; it starts its own servers where these are not set. Redis has
 * to be a real one. With `--write` the results replace the figures in the documentation. With
 * `--render` nothing is measured: the figures of the last run are written again.
 */
import { parseArgs } from 'node:util';
import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { step } from '@ceiba/devstack/output';
import { createGenerator } from './src/load/generator.mjs';
import { measureContenders } from './src/measure-contenders.mjs';
import { measureFlatCost } from './src/measure-flat-cost.mjs';
import { measureLimits } from './src/measure-limits.mjs';
import { rounded } from './src/report/statistics.ts';
import { printResults, readResults, writeResults } from './src/report/write.mjs';
import { withRuntime } from './src/runtime.mjs';
import { seedProject } from './src/seed.ts';
import { describeServers, startServers } from './src/servers.mjs';

/** How much of everything; `small` only shows that the benchmark works. */
const SIZES = {
  full: {
    rounds: 5,
    seconds: { contenders: 5, alone: 2, limits: 2, flat: 3 },
    keys: 200_000,
    keysInUse: 1_000,
    flat: { keys: 1_000_000, policies: 2_000, projects: 10_000, activeKeys: 200_000 },
  },
  small: {
    rounds: 2,
    seconds: { contenders: 1, alone: 1, limits: 1, flat: 1 },
    keys: 2_000,
    keysInUse: 1_000,
    flat: { keys: 5_000, policies: 200, projects: 200, activeKeys: 2_000 },
  },
};

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'full' },
    write: { type: 'boolean', default: false },
    render: { type: 'boolean', default: false },
  },
});

process.env.LOG_LEVEL ??= 'warn';
await runMain(async () => (values.render ? render() : supervised(measure)));

function render() {
  writeResults(readResults());
  return 0;
}

async function measure(supervisor) {
  const size = SIZES[values.size];
  if (size === undefined) throw new LauncherError('--size is full or small.');
  const services = await startServers(supervisor);
  const generator = createGenerator();
  const { pids, machine } = await describeServers(services, generator.name);
  const options = { ...size, generator, pids };
  const ofOneProject = await withRuntime(supervisor, services, async (runtime) => {
    const project = await seedProject(runtime.databaseUrl, size.keys);
    const at = { supervisor, runtime, project };
    return {
      contenders: await step('Contenders', () => measureContenders(at, options)),
      limits: await step('Limits', () => measureLimits(at, options)),
    };
  });
  const flat = await step('Flat cost', () => measureFlatCost({ supervisor, services }, options));
  const { flat: _, ...sizes } = size;
  const results = rounded({
    size: values.size,
    takenOn: new Date().toISOString().slice(0, 10),
    machine,
    sizes,
    ...ofOneProject,
    flat,
  });
  printResults(results);
  if (values.write) writeResults(results);
  return checkAnswers(results);
}

/** @returns {number} The exit code: 1 where answers were wrong or missing. */
function checkAnswers({ contenders, flat }) {
  const all = Object.entries(flat.unexpected);
  for (const { id, unexpected } of contenders) all.push([id, unexpected]);
  const wrong = all.filter(([, count]) => count > 0);
  for (const [what, count] of wrong) {
    console.error(
      `${what}: ${count} answers were not the expected ones; a busy machine causes some.`,
    );
  }
  return wrong.length === 0 ? 0 : 1;
}
