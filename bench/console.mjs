/**
 * Measures the pages of a project with 10,000 keys and 400 days of usage: the compressed JavaScript
 * of a first load, and how long the server takes to answer.
 *
 * Run it with `node --import tsx bench/console.mjs`, after `npm run build`. It creates a database of
 * its own on the server of DATABASE_URL, or on one that it starts when DATABASE_URL is not set.
 * It fails where the JavaScript of a page exceeds its limit, which is the same on every machine. It
 * only reports times above their limit, since a busy machine causes them.
 */
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { withStack } from '@ceiba/devstack/stack';
import { measurePages } from './src/measure-pages.mjs';
import { JAVASCRIPT_LIMIT_KB } from './src/page-weight.mjs';
import { seedConsole } from './src/seed-console.ts';

const RENDER_LIMIT_MS = 100;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '10000' },
    days: { type: 'string', default: '400' },
    requests: { type: 'string', default: '100' },
  },
});

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServices(supervisor, readSettings(process.env));
    // The pages send no request to a Runtime.
    const stack = { programs: ['console'], ownDatabase: true };
    return withStack(supervisor, services, stack, async ({ databaseUrl, consoleUrl }) => {
      const seeded = await seedConsole(databaseUrl, {
        keyCount: Number(values.keys),
        dayCount: Number(values.days),
      });
      const requests = Number(values.requests);
      return report(await measurePages({ consoleUrl, requests, ...seeded }));
    });
  }),
);

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
