import { withConnection } from '@ceiba/devstack/databases';
import { waitFor } from '@ceiba/devstack/wait';
import { compare, WARM_UP_SECONDS } from './compare.mjs';
import { writeLines } from './lines.mjs';
import { askForEach } from './load/pass.mjs';
import { residentMiB } from './processes.mjs';
import { decisionsOf, withRuntime } from './runtime.mjs';
import { seedProject, seedProjects } from './seed.ts';

const CONNECTIONS = 64;
const FEW_KEYS = 1_000;
const FEW_POLICIES = 5;

const WARM_UP = { connections: CONNECTIONS, seconds: WARM_UP_SECONDS };

/** How every key is used once: in batches, to save time. */
const PASS = { perRequest: 64, connections: 4 };

/**
 * Compares a small installation with large ones, each with a Runtime and a database of its own, in
 * turns; then passes every key through one Runtime and measures its memory.
 *
 * @param {{ supervisor: import('@ceiba/devstack/supervisor').Supervisor, services: import('@ceiba/devstack/services').Services }} at
 * @param {object} options
 * @param {{ keys: number, policies: number, projects: number, activeKeys: number }} options.flat
 */
export function measureFlatCost({ supervisor, services }, options) {
  return withRuntime(supervisor, services, (small) =>
    withRuntime(supervisor, services, async (large) => {
      const startMiB = residentMiB(large.pid);
      const { keys, policies, projects, activeKeys } = options.flat;
      const few = await seedProject(small.databaseUrl, FEW_KEYS, FEW_POLICIES);
      const wide = await seedProject(large.databaseUrl, FEW_KEYS, policies);
      const many = await seedProjects(large.databaseUrl, projects);
      const big = await seedProject(large.databaseUrl, keys, FEW_POLICIES);

      const write = (name, lines) => writeLines(supervisor.dataDir, name, lines);
      const candidate = (id, runtime, project, projectId, lines) => ({
        id,
        pid: runtime.pid,
        connections: CONNECTIONS,
        target: { ...decisionsOf(runtime.url, project, projectId), ...lines },
      });
      const ofMany = many.ids.map((id, index) => id + many.keys[index]);
      const base = candidate('base', small, few, few.projectId, write('few', few.keys));
      const hot = write('hot', big.keys.slice(0, FEW_KEYS));
      const atRest = [
        candidate('keys', large, big, big.projectId, hot),
        candidate('policies', large, wide, wide.projectId, write('wide', wide.keys)),
        candidate('projects', large, many, '{projectId}', write('many', ofMany)),
      ];
      for (const each of [base, ...atRest]) {
        await options.generator.putLoad(each.target, WARM_UP);
      }
      const flatOptions = { ...options, seconds: options.seconds.flat };
      const first = await compare([base, ...atRest], flatOptions);

      const passing = { large, project: big };
      const usedMiB = residentMiB(large.pid);
      const active = big.keys.slice(0, activeKeys);
      const firstPass = await passOnce(active, passing);
      const busy = candidate('activeKeys', large, big, big.projectId, write('active', active));
      const second = await compare([base, busy], flatOptions);
      const secondPass = await passOnce(big.keys.slice(activeKeys), passing);
      // Some load lets the Runtime collect its garbage, which it does not do while it is idle.
      await options.generator.putLoad(atRest[0].target, { connections: CONNECTIONS, seconds: 10 });
      const cases = [
        caseOf('keys', FEW_KEYS, keys, first),
        caseOf('policies', FEW_POLICIES, policies, first),
        caseOf('projects', 1, projects, first),
        caseOf('activeKeys', FEW_KEYS, activeKeys, second),
      ];
      const memory = { keys, startMiB, usedMiB, afterMiB: residentMiB(large.pid) };
      const unexpected = { ...unexpectedOf('first', first), ...unexpectedOf('second', second) };
      return { cases, memory, unexpected: { ...unexpected, firstPass, secondPass } };
    }),
  );
}

const caseOf = (id, from, to, measured) => ({
  id,
  from,
  to,
  base: measured.base,
  large: measured[id],
});

/** Answers that were not the expected ones, by comparison and candidate. */
const unexpectedOf = (comparison, measured) =>
  Object.fromEntries(
    Object.entries(measured).map(([id, { unexpected }]) => [`${comparison}, ${id}`, unexpected]),
  );

/** Asks for each key once, and waits until the usage is in Postgres. */
async function passOnce(keys, { large, project }) {
  const target = decisionsOf(large.url, project, project.projectId, PASS.perRequest);
  const unexpected = await askForEach(target, keys, PASS.connections);
  await waitUntilWritten(large.databaseUrl);
  return unexpected;
}

/** Polls until Postgres has as much usage as a second before. */
async function waitUntilWritten(databaseUrl) {
  let before = -1;
  const isSettled = () =>
    withConnection(databaseUrl, async (sql) => {
      const [{ total }] =
        await sql`select coalesce(sum(count), 0)::float8 as total from usage_months`;
      const isSame = total === before;
      before = total;
      return isSame;
    });
  if (await waitFor(isSettled, { timeoutMs: 300_000, intervalMs: 2_000 })) return;
  throw new Error('the usage did not reach Postgres');
}
