/**
 * Measures the import of 100,000 keys of another issuer: CPU time of the Runtime and of Postgres per 1,000
 * keys, the memory of the Runtime, and the CPU time of Postgres that a lookup of a secret takes before and
 * after, known and unknown.
 *
 *   node --import tsx bench/import.mjs [--keys 100000]
 *
 * On a busy machine raise `KEY_ROUTE_DEADLINE_MS`: a call imports 1,000 keys.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { createDatabase, lookupMany } from '@ceiba/schema';
import { cpuMsOf, residentMiB } from './src/processes.mjs';
import { median } from './src/quantile.mjs';
import { withRuntime } from './src/runtime.mjs';
import { seedProject } from './src/seed.ts';
import { describeServers, startServers } from './src/servers.mjs';

const ROWS = 1_000;
const ROUNDS = 5;
const LOOKUPS_PER_ROUND = 500;
const KEYS_PER_LOOKUP = 32;

const { values } = parseArgs({ options: { keys: { type: 'string', default: '100000' } } });

const sha256 = (text) => createHash('sha256').update(text).digest();
const ownDigest = (key) => ({ apiKeyDigest: sha256(key), isForeign: false });
const foreign = () => ({ apiKeyDigest: randomBytes(32), isForeign: true });

await runMain(() =>
  supervised(async (supervisor) => {
    const services = await startServers(supervisor);
    const { pids } = await describeServers(services, 'this process');
    await withRuntime(supervisor, services, async ({ databaseUrl, url, pid }) => {
      const project = await seedProject(databaseUrl, 1_000);
      const processes = { runtime: pid, postgres: pids.postgres };
      const lookups = lookupsOf(databaseUrl, project, pids.postgres);
      await lookups.report('own keys, before', (at) => ownDigest(project.keys[at]));
      await lookups.report('unknown secrets, before', () => foreign());
      const secrets = await importKeys({ url, project, processes });
      await lookups.vacuum();
      await lookups.report('own keys, after', (at) => ownDigest(project.keys[at]));
      await lookups.report('imported keys', (at) => ({
        apiKeyDigest: sha256(secrets[at % secrets.length]),
        isForeign: true,
      }));
      await lookups.report('unknown secrets, after', () => foreign());
      await lookups.close();
    });
    return 0;
  }),
);

/** @returns {Promise<string[]>} the imported secrets */
async function importKeys({ url, project, processes }) {
  const secrets = Array.from({ length: Number(values.keys) }, () =>
    randomBytes(24).toString('base64url'),
  );
  const before = cpuMsOf(processes);
  const memory = [residentMiB(processes.runtime)];
  const startedAt = performance.now();
  for (let from = 0; from < secrets.length; from += ROWS) {
    const apiKeys = secrets.slice(from, from + ROWS).map((secret, index) => ({
      digest: sha256(secret).toString('hex'),
      encoding: 'hex',
      displayName: `key ${from + index}`,
      keyPrefix: secret.slice(0, 8),
    }));
    const reply = await fetch(`${url}/rt/projects/${project.projectId}/api-keys/import`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-project-secret': project.projectSecret,
      },
      body: JSON.stringify({ apiKeys }),
    });
    const { results } = await reply.json();
    if (reply.status !== 200 || results.some(({ status }) => status !== 200)) {
      throw new Error(`the Runtime answered ${reply.status}: ${JSON.stringify(results?.[0])}`);
    }
    memory.push(residentMiB(processes.runtime));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = cpuMsOf(processes);
  const perThousand = (name) => ((after[name] - before[name]) * ROWS) / secrets.length;
  console.log(
    `${secrets.length} keys in ${seconds.toFixed(1)} s; CPU per 1,000 keys: Runtime ` +
      `${perThousand('runtime').toFixed(0)} ms, Postgres ${perThousand('postgres').toFixed(0)} ms; ` +
      `memory of the Runtime ${memory[0]?.toFixed(0)} MiB before, ` +
      `at most ${Math.max(...memory).toFixed(0)}, ${memory.at(-1)?.toFixed(0)} after`,
  );
  return secrets;
}

function lookupsOf(databaseUrl, { projectId }, postgres) {
  const db = createDatabase(databaseUrl, { maxConnections: 1, statementTimeoutMs: 60_000 });
  const ask = async (pick) => {
    const before = cpuMsOf({ postgres }).postgres;
    for (let lookup = 0; lookup < LOOKUPS_PER_ROUND; lookup += 1) {
      const items = Array.from({ length: KEYS_PER_LOOKUP }, (_, index) => ({
        projectId,
        ...pick((lookup * KEYS_PER_LOOKUP + index) % 1_000),
      }));
      await lookupMany(db, items);
    }
    const spent = cpuMsOf({ postgres }).postgres - before;
    return (1_000 * spent) / (LOOKUPS_PER_ROUND * KEYS_PER_LOOKUP);
  };
  return {
    async report(what, pick) {
      await ask(pick);
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await ask(pick));
      console.log(`${what}: ${median(rounds).toFixed(1)} µs of Postgres per key`);
    },
    /** Otherwise it would be counted among the lookups. */
    vacuum: () => db.sql`vacuum analyze`,
    close: () => db.close(),
  };
}
