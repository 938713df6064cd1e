/**
 * Measures what the Runtime does when more is asked than it can decide, and how far workers scale.
 * Requests are sent at a set rate, and latencies count from the moment that each was due. The
 * generator, the Runtime, Postgres and Redis share this machine's cores.
 *
 *   node --import tsx bench/overload.mjs [--seconds 10] [--workers 1,2]
 *
 * Run `npm run build` first. It uses the servers of DATABASE_URL and REDIS_URL, with databases of its
 * own, or starts its own servers. Redis has to be a real one.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { withStack } from '@ceiba/devstack/stack';
import { measureCapacity, measureOverload } from './src/measure-overload.mjs';
import { startServers } from './src/servers.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    workers: { type: 'string', default: '1,2' },
  },
});
const seconds = Number(values.seconds);
process.env.LOG_LEVEL ??= 'error';

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServers(supervisor);
    const withRuntime = (workers, work) => {
      process.env.RUNTIME_WORKERS = workers;
      const stack = { programs: ['runtime'], ownDatabase: true };
      return withStack(supervisor, services, stack, ({ databaseUrl, runtimeUrl }) =>
        work({ databaseUrl, port: Number(new URL(runtimeUrl).port), seconds }),
      );
    };
    const overload = await withRuntime('1', measureOverload);
    const scaling = [];
    for (const workers of values.workers.split(',')) {
      const perSecond = Math.round(await withRuntime(workers, measureCapacity));
      scaling.push({ workers, perSecond });
    }
    report(overload, scaling);
    return 0;
  }),
);

function report({ capacityPerSecond, rows, refusedP99Ms, recoveryMs }, scaling) {
  console.log(`\n${capacityPerSecond} decisions a second, all servers and the generator on`);
  console.log(`${cpus().length} cores; requests, and latencies of those that were decided:`);
  const rounded = (row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, Math.round(value * 10) / 10]),
    );
  console.table(
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, rounded(row)])),
  );
  const ratio = (a, b) =>
    `${(rows[a].p99Ms / rows[b].p99Ms).toFixed(1)}, since it was sent ${(rows[a].p99SentMs / rows[b].p99SentMs).toFixed(1)}`;
  console.log(
    'p99 of what is admitted, of the unloaded one:',
    ratio('at 3 times the capacity, then', 'unloaded'),
  );
  console.log(
    'p99 of a server that refuses everything, at the same rate, of the unloaded one:',
    (refusedP99Ms / rows.unloaded.p99Ms).toFixed(1),
  );
  console.log(
    "p99 beside another project's flood, of the one alone:",
    ratio('beside the flood', 'another project alone'),
  );
  console.log(
    'The last request that was not decided in five times the unloaded p99 was due',
    recoveryMs,
    'ms after the overload.',
  );
  console.log('\nDecisions a second by workers, 64 connections:');
  console.table(scaling);
}
