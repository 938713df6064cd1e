import { randomBytes } from 'node:crypto';
import { type MintedCredential, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  createDatabase,
  createPolicy,
  createProject,
  createUser,
  putPlan,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';

const NO_LIMIT = 2_147_483_647;
const KEYS_PER_INSERT = 5_000;

/**
 * Creates a project with many keys, and limits that no run reaches. The keys are inserted by SQL
 * instead of the verb, to save time.
 *
 * @returns the project's id and secret, and the plaintext of every key
 */
export async function seedProject(databaseUrl: string, keyCount: number) {
  const db = createDatabase(databaseUrl);
  const ctx: VerbContext = { db, actor: { kind: 'system' }, clientAddress: null, requestId: null };
  try {
    const owner = await createUser(ctx, { email: 'bench@example.com', passwordHash: null });
    if (owner.kind !== 'created') throw new Error('the database is not empty');
    const secret = mintProjectSecret(randomBytes);
    const project = await createProject(ctx, { ownerId: owner.userId, name: 'bench', secret });
    if (project.kind !== 'created') throw new Error('the database is not empty');
    const { projectId } = project;
    const limits = { activeKeyCap: NO_LIMIT, rateLimitPerMinute: NO_LIMIT, monthlyQuota: NO_LIMIT };
    const { planId } = await putPlan(ctx, { name: 'Bench', ...limits });
    await setSubscription(ctx, { projectId, planId });
    await createPolicy(ctx, { projectId, method: 'GET', pathPattern: '/v1/reports*' });
    const keys = Array.from({ length: keyCount }, () => mintApiKey(randomBytes));
    for (let at = 0; at < keys.length; at += KEYS_PER_INSERT) {
      await insertKeys(db, projectId, keys.slice(at, at + KEYS_PER_INSERT));
    }
    await db.sql`analyze`;
    return { projectId, projectSecret: secret.plaintext, keys: keys.map((key) => key.plaintext) };
  } finally {
    await db.close();
  }
}

async function insertKeys(
  db: ReturnType<typeof createDatabase>,
  projectId: string,
  keys: readonly MintedCredential[],
) {
  await db.sql`
    insert into api_keys ${db.sql(
      keys.map(({ prefix, digest }) => ({
        project_id: projectId,
        display_name: 'bench',
        key_prefix: prefix,
        key_digest: digest,
      })),
    )}`;
}
