/**
 * What a project's pages cost, in front of a project of 10,000 keys and 400 days of usage: the
 * compressed JavaScript of a first load, and how long the server takes to answer with the page.
 *
 * Run it with `node --import tsx bench/console.mjs`, after `npm run build`. It makes a database of
 * its own on the server of DATABASE_URL where that is set, and otherwise brings its own server.
 * It fails where a page's JavaScript passes its limit, which is the same on every machine; times
 * that pass theirs are named, since a busy machine makes them.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase } from '@ceiba/devstack/databases';
import { untilEnd } from '@ceiba/devstack/lifecycle';
import { freePort } from '@ceiba/devstack/ports';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { addressesOf, migrate, startConsole } from '@ceiba/devstack/stack';
import { createSupervisor } from '@ceiba/devstack/supervisor';
import { measurePages } from './src/measure-pages.mjs';
import { seedConsole } from './src/seed-console.ts';

const JAVASCRIPT_LIMIT_KB = 200;
const RENDER_LIMIT_MS = 100;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '10000' },
    days: { type: 'string', default: '400' },
    requests: { type: 'string', default: '100' },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'ceiba-bench-console-'));
const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
process.exitCode = await untilEnd(supervisor, bench, () => 130);

async function bench() {
  const servers = await startServices(supervisor, readSettings(process.env));
  const database = await createDatabase(servers.databaseUrl, { prefix: 'ceiba_bench' });
  let served;
  try {
    const services = { ...servers, databaseUrl: database.url };
    await migrate(supervisor, services);
    const seeded = await seedConsole(database.url, {
      keyCount: Number(values.keys),
      dayCount: Number(values.days),
    });
    // The pages ask no Runtime: none has to be there.
    const ports = { runtime: await freePort(), console: await freePort(), host: await freePort() };
    const addresses = addressesOf(ports);
    served = await startConsole(supervisor, services, addresses);
    const pages = await measurePages({
      consoleUrl: addresses.consoleUrl,
      requests: Number(values.requests),
      ...seeded,
    });
    return report(pages);
  } finally {
    await served?.stop();
    await database.drop();
  }
}

/** @param {Awaited<ReturnType<typeof measurePages>>} pages @returns {number} The exit code. */
function report(pages) {
  console.log(`\n${values.keys} keys, ${values.days} days of usage, one request at a time`);
  console.table(
    Object.fromEntries(
      pages.map(({ name, javascriptKb, p50Ms, p95Ms }) => [
        name,
        { 'JavaScript, kB': javascriptKb, 'p50, ms': p50Ms, 'p95, ms': p95Ms },
      ]),
    ),
  );
  const slow = pages.filter(({ p95Ms }) => p95Ms > RENDER_LIMIT_MS);
  const large = pages.filter(({ javascriptKb }) => javascriptKb > JAVASCRIPT_LIMIT_KB);
  for (const { name, p95Ms } of slow) {
    console.log(`${name} takes ${p95Ms} ms at p95, more than ${RENDER_LIMIT_MS}`);
  }
  for (const { name, javascriptKb } of large) {
    console.log(`${name} loads ${javascriptKb} kB of JavaScript, more than ${JAVASCRIPT_LIMIT_KB}`);
  }
  return large.length === 0 ? 0 : 1;
}
