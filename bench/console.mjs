/**
 * Measures the pages of the console, and the lists of the Runtime, for a project with many customers and
 * keys, 400 days of usage and a week of requests: how long the server takes to answer, and the CPU time
 * of it and of Postgres.
 *
 *   node --import tsx bench/console.mjs [--customers 50000 --keys 200000] [--projects 1] [--days 400]
 *     [--requests 100]
 *
 * Run `npm run build` first. It creates a database of its own on the server of DATABASE_URL, or on one that
 * it starts when DATABASE_URL is not set. It only reports times above their limit, since a busy
 * machine causes them: compare them with the rows named control, which read nothing of the project.
 */
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { withStack } from '@ceiba/devstack/stack';
import { measurePages } from './src/measure-pages.mjs';
import { measureRoutes } from './src/measure-routes.mjs';
import { seedConsole } from './src/seed-console.ts';
import { describeServers, startServers } from './src/servers.mjs';

const LIMIT_MS = 100;

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '2500' },
    keys: { type: 'string', default: '10000' },
    projects: { type: 'string', default: '1' },
    days: { type: 'string', default: '400' },
    requests: { type: 'string', default: '100' },
  },
});
process.env.LOG_LEVEL ??= 'error';

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServers(supervisor);
    const stack = { programs: ['runtime', 'console'], ownDatabase: true };
    return withStack(supervisor, services, stack, async ({ databaseUrl, ...urls }) => {
      const seeded = await seedConsole(databaseUrl, {
        customerCount: Number(values.customers),
        keyCount: Number(values.keys),
        projectCount: Number(values.projects),
        dayCount: Number(values.days),
      });
      const { pids } = await describeServers(services, 'this process');
      const processes = supervisor.processes();
      const at = (server) => ({
        ...urls,
        ...seeded,
        requests: Number(values.requests),
        pids: { server: processes[server], postgres: pids.postgres },
      });
      const routes = await measureRoutes(at('Runtime'));
      report({ Routes: routes, Pages: await measurePages(at('Console')) });
      return 0;
    });
  }),
);

/** @param {Record<string, Awaited<ReturnType<typeof measurePages>>>} tables */
function report(tables) {
  console.log(
    `\n${values.customers} customers, ${values.keys} keys, ${values.projects} projects, ${values.days} days of usage, one request at a time`,
  );
  for (const [title, rows] of Object.entries(tables)) {
    console.log(`\n${title}`);
    console.table(Object.fromEntries(rows.map((row) => [row.name, columnsOf(row)])));
  }
  const rows = Object.values(tables).flat();
  for (const { name, p95Ms } of rows.filter((row) => row.p95Ms > LIMIT_MS)) {
    console.log(`${name} takes ${tenths(p95Ms)} ms at p95, more than ${LIMIT_MS}`);
  }
}

function tenths(ms) {
  return Math.round(ms * 10) / 10;
}

function columnsOf({ p50Ms, p95Ms, failed, serverCpuMs, postgresCpuMs }) {
  return {
    'p50, ms': tenths(p50Ms),
    'p95, ms': tenths(p95Ms),
    'answered with 5xx': failed,
    'CPU of the server, ms': tenths(serverCpuMs),
    'CPU of Postgres, ms': tenths(postgresCpuMs),
  };
}
