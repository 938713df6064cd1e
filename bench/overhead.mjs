/**
 * Measures which part of a decision's CPU time the decision log, the metrics and the traces take, of
 * Runtime, Postgres and Redis together. A profile of the Runtime under load says which part of its own
 * time each takes; two Runtimes with and without a part differ more by chance than by it.
 *
 *   node --import tsx bench/overhead.mjs [--rounds 5] [--seconds 12]
 *
 * Run `npm run build` first. It uses the servers of DATABASE_URL and REDIS_URL, with databases of its
 * own, or starts its own servers. Redis has to be a real one. Linux alone reports CPU time. The rounds
 * of a case should together last at least a minute, because the log has a limit per minute.
 */
import { parseArgs } from 'node:util';
import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { createGenerator } from './src/load/generator.mjs';
import { measureOverhead } from './src/measure-overhead.mjs';
import { reportsCpuTime } from './src/processes.mjs';
import { significant } from './src/report/statistics.ts';
import { describeServers, startServers } from './src/servers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '12' },
  },
});
process.env.LOG_LEVEL ??= 'error';

await runMain(() =>
  supervised(async (supervisor) => {
    if (!reportsCpuTime()) throw new LauncherError('This benchmark needs the CPU times of Linux.');
    const services = await startServers(supervisor);
    const generator = createGenerator();
    const { pids } = await describeServers(services, generator.name);
    const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
    console.log('\nPer decision, medians and (least to most); Runtime, Postgres and Redis in µs:');
    await measureOverhead({ supervisor, services, report }, { ...options, generator, pids });
    return 0;
  }),
);

function report(name, columns) {
  console.log(`\n${name}`);
  for (const [column, { median, least, most }] of Object.entries(columns)) {
    const [middle, low, high] = [median, least, most].map((value) => significant(value));
    console.log(`  ${column.padEnd(22)} ${middle} (${low} to ${high})`);
  }
}
