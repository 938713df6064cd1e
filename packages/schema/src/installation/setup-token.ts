import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { takeLock } from '../locks.ts';
import { settings, users } from '../tables.ts';
import { createSettings } from './id.ts';

export type CreateSetupTokenResult = { kind: 'created' | 'has_administrator' };

/**
 * Sets the token with which the first administrator signs up, in place of the previous one. Refused
 * once there is an administrator.
 */
export function createSetupToken(
  ctx: VerbContext,
  { tokenDigest }: { tokenDigest: Buffer },
): Promise<CreateSetupTokenResult> {
  return inTransaction(ctx, async (tx) => {
    await takeLock(tx, 'firstUser');
    if (await hasAdministrator({ orm: tx })) return { kind: 'has_administrator' };
    await createSettings(tx);
    await tx.update(settings).set({ setupTokenDigest: tokenDigest });
    await writeAudit(tx, ctx, {
      action: 'setup_token.create',
      target: { id: 'setup_token', label: 'setup token' },
    });
    return { kind: 'created' };
  });
}

/**
 * Whether an account may be created as far as the setup goes: `done` if there is an administrator,
 * otherwise `permitted` to who presents the current setup token, and `refused` to anyone else.
 *
 * @param tokenDigest of the token that was presented; null without one
 */
export async function checkSetup(
  db: { orm: Executor },
  tokenDigest: Buffer | null,
): Promise<'done' | 'permitted' | 'refused'> {
  if (await hasAdministrator(db)) return 'done';
  if (tokenDigest === null) return 'refused';
  const found = await db.orm
    .select({ id: settings.id })
    .from(settings)
    .where(eq(settings.setupTokenDigest, tokenDigest));
  return found.length > 0 ? 'permitted' : 'refused';
}

/** Makes the setup token invalid. Call it in the transaction that creates the first administrator. */
export async function endSetupToken(tx: Executor): Promise<void> {
  await tx.update(settings).set({ setupTokenDigest: null });
}

/** Whether the installation is set up. It then stays so: the last administrator cannot be removed. */
export async function hasAdministrator(db: { orm: Executor }): Promise<boolean> {
  const rows = await db.orm
    .select({ userId: users.id })
    .from(users)
    .where(eq(users.isAdministrator, true))
    .limit(1);
  return rows.length > 0;
}
