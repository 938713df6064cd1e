import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@ceiba/domain';
import {
  createDatabase,
  type Database,
  listPoliciesWithRevision,
  lookupMany,
  NotPrimaryError,
  pingDatabase,
  postgresError,
  readPeriodTotals,
  recordFirstUse,
  recordFirstUses,
} from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { createWorld, type TestProject, type World } from '../../support/scenario.ts';

let pair: PostgresPair;
let database: TestDatabase;
let world: World;
let standby: Database;
let project: TestProject;
let apiKeyId: string;
beforeAll(async () => {
  pair = await startPostgresPair();
  database = await createTestDatabase(pair.primary.url);
  world = createWorld(database.url);
  project = await world.createProject();
  ({ apiKeyId } = await project.createKey());
  await pair.caughtUp();
  await pair.pauseReplay();
  const address = new URL(database.url);
  address.port = new URL(pair.standby.url).port;
  standby = createDatabase(address.toString(), { maxConnections: 1 });
}, 120_000);
afterAll(async () => {
  await standby?.close();
  await world?.close();
  await pair?.dispose();
});

/** Every statement that serves a decision. */
const STATEMENTS: Record<string, (db: Database) => Promise<unknown>> = {
  'a lookup': (db) =>
    lookupMany(db, [
      { projectId: project.projectId, apiKeyDigest: mintApiKey(randomBytes).digest },
    ]),
  'a lookup of an unknown project': (db) =>
    lookupMany(db, [{ projectId: randomUUID(), apiKeyDigest: null }]),
  'a policy list': (db) => listPoliciesWithRevision(db, [project.projectId]),
  'the policy list of an unknown project': (db) => listPoliciesWithRevision(db, [randomUUID()]),
  'a seed': (db) =>
    readPeriodTotals(db, [{ projectId: project.projectId, number: 24_310, scope: 'project' }]),
  'the check of readiness': pingDatabase,
};

/** Writes, which the server itself refuses. */
const WRITES: Record<string, (db: Database) => Promise<unknown>> = {
  'first uses': (db) => recordFirstUses(db, [apiKeyId]),
  'the first use of one key': (db) => recordFirstUse(db, apiKeyId),
};

describe('a standby', () => {
  it.each(Object.entries(STATEMENTS))(
    'serves no decision by %s (rule primary-only)',
    async (_, run) => {
      await expect(run(standby)).rejects.toBeInstanceOf(NotPrimaryError);
      await run(world.db);
    },
  );

  it.each(Object.entries(WRITES))('refuses the write of %s', async (_, run) => {
    const error = await run(standby).catch((thrown: unknown) => thrown);
    expect(postgresError(error)?.code).toBe('25006');
    await run(world.db);
  });
});
