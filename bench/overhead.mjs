/**
 * Measures what a decision pays for being watched, by the decision log and by metrics. A Runtime with
 * both and Runtimes that lack one of them are asked in turns, over the same database and Redis, and the
 * CPU time per decision, of Runtime, Postgres and Redis together, is compared within each round.
 *
 *   node --import tsx bench/overhead.mjs [--rounds 10] [--seconds 3]
 *
 * Run `npm run build` first. It uses the servers of DATABASE_URL and REDIS_URL, with databases of its
 * own, or starts its own servers. Redis has to be a real one. Linux alone reports CPU time.
 */
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { createGenerator } from './src/load/generator.mjs';
import { measureOverhead } from './src/measure-overhead.mjs';
import { rounded } from './src/report/statistics.ts';
import { describeServers, startServers } from './src/servers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
  },
});
process.env.LOG_LEVEL ??= 'error';

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServers(supervisor);
    const generator = createGenerator();
    const { pids } = await describeServers(services, generator.name);
    const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
    const rows = await measureOverhead({ supervisor, services }, { ...options, generator, pids });
    console.log('\nCPU time per decision in µs, and as a multiple of the one without a part:');
    console.table(rounded(rows));
    return 0;
  }),
);
