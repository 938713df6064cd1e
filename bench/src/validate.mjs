import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { withConnection } from '@ceiba/devstack/databases';
import { mintApiKey } from '@ceiba/domain';

/**
 * Checks that a contender answers correctly before it is measured: it allows a good key, denies an
 * unknown one, enforces a limit of 3, and denies a revoked key as soon as it claims to.
 *
 * @param {{ name: string, kind: string, guarantees?: { freshRevocation: string } }} contender
 * @param {(apiKey: string) => Promise<boolean>} ask
 * @param {{ good: string, limited: string, revoked: string, revoke: () => Promise<void> }} keys
 * @throws {Error} naming the first answer that was wrong
 */
export async function validate({ name, kind, guarantees }, ask, keys) {
  const expect = async (what, apiKey, allowed) => {
    if ((await ask(apiKey)) !== allowed) {
      throw new Error(`${name} ${allowed ? 'denies' : 'allows'} ${what}`);
    }
  };
  await expect('a good key', keys.good, true);
  if (kind === 'echo') return;
  await expect('an unknown key', mintApiKey(randomBytes).plaintext, false);
  await untilMinuteHasSeconds(5);
  for (let call = 1; call <= 5; call += 1) {
    await expect(`call ${call} of a limit of 3`, keys.limited, call <= 3);
  }
  await expect('a key that is about to be revoked', keys.revoked, true);
  await keys.revoke();
  await expect('a revoked key', keys.revoked, guarantees?.freshRevocation !== 'yes');
}

/** A limit of a calendar minute would begin again at its end. */
async function untilMinuteHasSeconds(seconds) {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < seconds * 1_000) await delay(leftMs);
}

/** The statements that limit a key to 3 calls and that revoke a key, in the contenders' tables. */
const LIMIT = {
  ceiba: 'update api_keys set rate_limit_per_minute = 3 where key_digest = $1',
  'better-auth': `update better_auth.apikey set "rateLimitMax" = 3
    where id = (select id::text from contenders.api_keys where key_digest = $1)`,
  contender: 'update contenders.api_keys set rate_limit_per_minute = 3 where key_digest = $1',
};
const REVOKE = {
  ceiba: `update api_keys set status = 'revoked' where key_digest = $1`,
  'better-auth': `update better_auth.apikey set enabled = false
    where id = (select id::text from contenders.api_keys where key_digest = $1)`,
  contender: 'update contenders.api_keys set enabled = false where key_digest = $1',
};

/** @param {string} databaseUrl */
export function createKeyChanges(databaseUrl) {
  const run = (statements) => (contender, digest) =>
    withConnection(databaseUrl, async (sql) => {
      const statement = statements[contender.id] ?? statements[contender.kind];
      if (statement !== undefined) await sql.unsafe(statement, [digest]);
    });
  return { limit: run(LIMIT), revoke: run(REVOKE) };
}
