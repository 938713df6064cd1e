/**
 * What a decision costs: throughput as a ratio to a bare JSON echo on the same HTTP stack, in turns
 * in the same run, and CPU time per decision by process, which says the same on a busy machine.
 *
 * Run it with `npm run bench`, after `npm run build`. It uses DATABASE_URL (an empty database) and
 * REDIS_URL where they are set, and otherwise brings its own; Redis has to be a real one.
 */
import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LauncherError } from '@ceiba/devstack/errors';
import { untilEnd } from '@ceiba/devstack/lifecycle';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { createSupervisor } from '@ceiba/devstack/supervisor';
import { measureDecisions } from './src/measure-decisions.mjs';

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'ceiba-bench-'));
const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
process.exitCode = await untilEnd(supervisor, bench, () => 130);

async function bench() {
  const services = await startServices(supervisor, readSettings(process.env));
  if (!services.isRealRedis) {
    throw new LauncherError('A benchmark needs a real Redis: put redis-server on PATH.');
  }
  const { rows, cpuMicroseconds, residentMiB } = await measureDecisions({
    ...services,
    keys: Number(values.keys),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  });
  console.log(`\n${values.keys} keys, all servers and the load on ${cpus().length} cores, medians`);
  console.table(rows);
  console.log('CPU time of one decision, in µs:', cpuMicroseconds);
  console.log('Resident memory of the Runtime afterwards, in MiB:', residentMiB);
  return rows.every((row) => row.unexpected === 0) ? 0 : 1;
}
