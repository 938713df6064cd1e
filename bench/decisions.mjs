/**
 * Measures what a decision costs: throughput as a ratio to a bare JSON echo on the same HTTP stack,
 * alternating in the same run, and CPU time per decision by process, which a busy machine does not
 * change.
 *
 * Run it with `npm run bench`, after `npm run build`. It creates a database of its own on the server
 * of DATABASE_URL, and uses REDIS_URL; it starts its own servers where these are not set. Redis has
 * to be a real one.
 */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { withStack } from '@ceiba/devstack/stack';
import { waitFor } from '@ceiba/devstack/wait';
import { measureDecisions } from './src/measure-decisions.mjs';

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
  },
});

process.env.LOG_LEVEL ??= 'warn';
await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServices(supervisor, readSettings(process.env));
    if (!services.isRealRedis) {
      throw new LauncherError('A benchmark needs a real Redis: put redis-server on PATH.');
    }
    const echoPort = await freePort();
    await supervisor.spawn({
      name: 'Echo',
      command: process.execPath,
      args: [fileURLToPath(new URL('./src/echo.mjs', import.meta.url)), String(echoPort)],
      stage: 1,
    });
    await waitFor(() => accepts(echoPort), { timeoutMs: 10_000 });
    const stack = { programs: ['runtime'], ownDatabase: true };
    return withStack(supervisor, services, stack, async ({ databaseUrl, runtimeUrl }) => {
      const { Runtime, Echo } = supervisor.processes();
      return report(
        await measureDecisions({
          databaseUrl,
          runtime: { url: runtimeUrl, pid: Runtime },
          echo: { url: `http://127.0.0.1:${echoPort}`, pid: Echo },
          keys: Number(values.keys),
          rounds: Number(values.rounds),
          seconds: Number(values.seconds),
        }),
      );
    });
  }),
);

/** @param {Awaited<ReturnType<typeof measureDecisions>>} measured @returns {number} The exit code. */
function report({ rows, cpuMicroseconds, residentMiB }) {
  console.log(`\n${values.keys} keys, all servers and the load on ${cpus().length} cores, medians`);
  console.table(rows);
  console.log('CPU time of one decision, in µs:', cpuMicroseconds);
  console.log('Resident memory of the Runtime afterwards, in MiB:', residentMiB);
  return rows.every((row) => row.unexpected === 0) ? 0 : 1;
}
