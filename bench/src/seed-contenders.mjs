import { withConnection } from '@ceiba/devstack/databases';
import { getMigrations } from 'better-auth/db/migration';
import { betterAuthOptions } from './contenders/better-auth-config.mjs';

const NO_LIMIT = 1_000_000_000;

/**
 * Gives the contenders tables of their own in Ceiba's database, with the same keys.
 *
 * @param {string} databaseUrl with the keys of `projectId`
 * @param {string} projectId
 */
export async function seedContenders(databaseUrl, projectId) {
  await withConnection(databaseUrl, async (sql) => {
    await sql`create schema contenders`;
    await sql`
      create table contenders.api_keys (
        id uuid primary key, key_digest bytea not null unique, enabled boolean not null,
        rate_limit_per_minute int not null)`;
    await sql`
      insert into contenders.api_keys
      select id, key_digest, true, ${NO_LIMIT} from api_keys where project_id = ${projectId}`;
    await sql`create schema better_auth`;
  });
  await createBetterAuthTables(databaseUrl);
  await withConnection(databaseUrl, async (sql) => {
    // Its digest of a key is SHA-256 too, in base64url without padding.
    await sql`
      insert into better_auth.apikey (id, "configId", key, "referenceId", enabled,
        "rateLimitEnabled", "rateLimitTimeWindow", "rateLimitMax", "requestCount", "createdAt",
        "updatedAt")
      select id::text, 'default', translate(encode(key_digest, 'base64'), '+/=', '-_'), 'bench',
        true, true, 60000, ${NO_LIMIT}, 0, now(), now()
      from contenders.api_keys`;
    await sql`vacuum analyze`;
  });
}

async function createBetterAuthTables(databaseUrl) {
  const options = betterAuthOptions(databaseUrl);
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
  await options.database.end();
}
