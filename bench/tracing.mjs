/**
 * Measures what traces cost the Runtime in CPU time: with none, with traces of which the caller samples
 * none, and with 1 % and all of the calls sampled. The Runtimes share the servers and are measured by
 * turns, so that a busy moment of the machine affects all of them.
 *
 *   node --import tsx bench/tracing.mjs [--seconds 3] [--rounds 8]
 *
 * Run `npm run build` first. It uses the servers of
 * DATABASE_URL and REDIS_URL, or starts its own. Redis has to be a real one.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { freePort } from '@ceiba/devstack/ports';
import { startRuntime } from '@ceiba/devstack/programs';
import { loopback } from '@ceiba/devstack/settings';
import { withStack } from '@ceiba/devstack/stack';
import { compare } from './src/compare.mjs';
import { writeLines } from './src/lines.mjs';
import { createGenerator } from './src/load/generator.mjs';
import { decisionsOf } from './src/runtime.mjs';
import { seedProject } from './src/seed.ts';
import { describeServers, startServers } from './src/servers.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '8' },
  },
});
const CONNECTIONS = 16;
const KEYS = 1_000;
const WARM_UP = { connections: CONNECTIONS, seconds: 4 };
const UNSAMPLED = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` };
const SHARE = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
process.env.LOG_LEVEL ??= 'error';

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServers(supervisor);
    const collector = await startCollector();
    const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url };
    const stack = { programs: [], ownDatabase: true };
    return withStack(supervisor, services, stack, async ({ databaseUrl }) => {
      const project = await seedProject(databaseUrl, KEYS);
      const lines = writeLines(supervisor.dataDir, 'keys', project.keys);
      const candidate = async (id, settings, headers = {}) => {
        const url = `http://${loopback}:${await freePort()}`;
        Object.assign(process.env, settings);
        const { pid } = await startRuntime(
          supervisor,
          { ...services, databaseUrl },
          { runtimeUrl: url },
        );
        for (const name of Object.keys(settings)) delete process.env[name];
        const target = { ...decisionsOf(url, project, project.projectId), ...lines };
        return { id, pid, connections: CONNECTIONS, target: withHeaders(target, headers) };
      };
      const candidates = [
        await candidate('off', {}),
        await candidate('on, unsampled by the caller', traces, UNSAMPLED),
        await candidate('on, 1 %', { ...traces, ...SHARE, OTEL_TRACES_SAMPLER_ARG: '0.01' }),
        await candidate('on, 100 %', traces),
      ];
      const generator = createGenerator();
      const { pids } = await describeServers({ ...services, databaseUrl }, generator.name);
      for (const each of candidates) await generator.putLoad(each.target, WARM_UP);
      const measured = await compare(candidates, {
        generator,
        pids,
        rounds: Number(values.rounds),
        seconds: Number(values.seconds),
      });
      report(measured, collector.requests());
      await collector.close();
      return 0;
    });
  }),
);

function withHeaders(target, headers) {
  return { ...target, headers: { ...target.headers, ...headers } };
}

/** Takes every trace, in this process, whose CPU time is not counted. */
async function startCollector() {
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    incoming.resume().on('end', () => outgoing.end());
  });
  await new Promise((resolve) => server.listen(0, loopback, () => resolve(undefined)));
  return {
    url: `http://${loopback}:${server.address().port}/v1/traces`,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param {Awaited<ReturnType<typeof compare>>} measured @param {number} requests */
function report(measured, requests) {
  const base = measured.off.cpuMicroseconds.server.median;
  console.log(`\nCPU time of the Runtime per decision, ${requests} exports`);
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([id, { cpuMicroseconds, unexpected }]) => {
        const { median, least, most } = cpuMicroseconds.server;
        const us = (value) => Math.round(value * 10) / 10;
        const ratio = Math.round((median / base) * 1_000) / 1_000;
        return [
          id,
          { 'median, µs': us(median), least: us(least), most: us(most), ratio, unexpected },
        ];
      }),
    ),
  );
}
