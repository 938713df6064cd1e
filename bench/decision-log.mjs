/**
 * Measures what the pages of the decision log ask Postgres for, in a log of ten million decisions: the
 * page "Requests" by each of its filters, at its start and in its middle, the groups of a day and the
 * requests of a rare one, and one decision. Fails where the p95 of a page is above 300 ms. Only reported
 * are the groups, which read up to 10,000 denials, and a search of the whole log for a combination that
 * never occurred although each of its filters matches half of the log.
 *
 *   node --import tsx bench/decision-log.mjs [--rows 10000000] [--reads 40]
 *
 * It creates a database of its own, of about 7 GB, on the server of DATABASE_URL, or on one that it
 * starts when DATABASE_URL is not set. Filling it takes several minutes.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { startServices } from '@ceiba/devstack/services';
import { readSettings } from '@ceiba/devstack/settings';
import { withStack } from '@ceiba/devstack/stack';
import {
  createDatabase,
  findDecision,
  groupDenials,
  listDecisions,
  readDecisionGaps,
} from '@ceiba/schema';
import { median, quantile } from './src/quantile.mjs';
import { idAt, seedDecisions } from './src/seed-decisions.ts';

const GROUPS = 'the groups of a day';
const NEVER_TOGETHER = 'a common reason and a common path that never occurred together';
const ONLY_REPORTED = new Set([GROUPS, NEVER_TOGETHER]);
const LIMIT_MS = 300;
const DAYS = 7;
const DAY_MS = 86_400_000;
const PAGE = 50;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    reads: { type: 'string', default: '40' },
  },
});

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServices(supervisor, readSettings(process.env));
    const stack = { programs: [], ownDatabase: true };
    return withStack(supervisor, services, stack, async ({ databaseUrl }) => {
      const db = createDatabase(databaseUrl, { maxConnections: 1, statementTimeoutMs: 1_800_000 });
      try {
        const seeded = await seedDecisions(db, { rows: Number(values.rows), days: DAYS });
        return report(await measure(questionsOf(db, seeded, await findRareGroup(db, seeded))));
      } finally {
        await db.close();
      }
    });
  }),
);

/**
 * Of the groups of a day, one whose reason, method and path are each common and together rare.
 *
 * @param {import('@ceiba/schema').Database} db
 * @param {import('./src/seed-decisions.ts').SeededDecisions} seeded
 * @returns {Promise<import('@ceiba/schema').DecisionFilter>} As the page links to its requests.
 */
async function findRareGroup(db, { projectId, to }) {
  const dayBefore = new Date(to.getTime() - DAY_MS);
  const groups = await groupDenials(db, { projectId, from: dayBefore, to, limit: 10_000 });
  const rare = groups.find(
    ({ denialReason, pathShape }) =>
      denialReason === 'policy_no_match' && pathShape?.startsWith('/v1/orders'),
  );
  if (rare === undefined) throw new Error('the log has no such group');
  const { denialReason: reason, method, firstAt: from } = rare;
  return { reason, method, pathPrefix: '/v1/orders', from };
}

/**
 * @param {import('@ceiba/schema').Database} db
 * @param {import('./src/seed-decisions.ts').SeededDecisions} seeded
 * @param {import('@ceiba/schema').DecisionFilter} rareGroup
 * @returns {Record<string, () => Promise<unknown>>} What to measure, by its name.
 */
function questionsOf(db, { projectId, apiKeyId, from, to }, rareGroup) {
  /** @param {import('@ceiba/schema').DecisionFilter} [filter] @param {string} [cursor] */
  const page =
    (filter = {}, cursor) =>
    () =>
      listDecisions(db, { projectId, filter, limit: PAGE, cursor: cursor ?? null });
  const someTime = () => new Date(from.getTime() + Math.random() * (to.getTime() - from.getTime()));
  const dayBefore = new Date(to.getTime() - DAY_MS);
  return {
    'no filter': page(),
    'no filter, in the middle': () => page({}, `after.${idAt(someTime().getTime())}`)(),
    'an hour': () => {
      const start = someTime();
      return page({ from: start, to: new Date(start.getTime() + 3_600_000) })();
    },
    denied: page({ outcome: 'denied' }),
    allowed: page({ outcome: 'allowed' }),
    'a rare reason': page({ reason: 'rate_limited' }),
    'a reason that never occurred': page({ reason: 'quota_exceeded' }),
    'a key': page({ apiKeyId }),
    'an unknown key': () => page({ apiKeyId: randomUUID() })(),
    'a rare method': page({ method: 'DELETE' }),
    'a method that never occurred': page({ method: 'PATCH' }),
    'a rare path': page({ pathPrefix: '/v2/rare' }),
    'the path of every second': page({ pathPrefix: '/v1/reports' }),
    'a path that never occurred': page({ pathPrefix: '/v3' }),
    'a request id': page({ requestId: 'request-4711' }),
    'a key and a reason': page({ apiKeyId, reason: 'invalid_api_key' }),
    'a rare method below the path of every second': page({
      method: 'DELETE',
      pathPrefix: '/v1/reports',
    }),
    'one decision': () => {
      const decisionId = idAt(someTime().getTime());
      return findDecision(db, { projectId, decisionId });
    },
    'what was left out': () => readDecisionGaps(db, { projectId, from, to }),
    'the requests of a rare group of common filters': page(rareGroup),
    [NEVER_TOGETHER]: page({ reason: 'invalid_api_key', pathPrefix: '/v1/reports' }),
    [GROUPS]: () => groupDenials(db, { projectId, from: dayBefore, to }),
  };
}

/** @param {Record<string, () => Promise<unknown>>} questions */
async function measure(questions) {
  const rows = [];
  for (const [name, ask] of Object.entries(questions)) {
    const times = [];
    for (let read = 0; read < Number(values.reads); read += 1) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
    rows.push({ name, firstMs: times[0], p50Ms: median(times), p95Ms: quantile(times, 0.95) });
  }
  return rows;
}

/** @param {Awaited<ReturnType<typeof measure>>} rows @returns {number} The exit code. */
function report(rows) {
  const rounded = (/** @type {number | undefined} */ ms) => Math.round((ms ?? 0) * 10) / 10;
  console.log(`\nA log of ${values.rows} decisions, ${values.reads} reads each`);
  console.table(
    Object.fromEntries(
      rows.map(({ name, firstMs, p50Ms, p95Ms }) => [
        name,
        { 'first, ms': rounded(firstMs), 'p50, ms': rounded(p50Ms), 'p95, ms': rounded(p95Ms) },
      ]),
    ),
  );
  const slow = rows.filter(({ name, p95Ms }) => !ONLY_REPORTED.has(name) && p95Ms > LIMIT_MS);
  for (const { name } of slow) console.log(`${name}: more than ${LIMIT_MS} ms at p95`);
  return slow.length === 0 ? 0 : 1;
}
