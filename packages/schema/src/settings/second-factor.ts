import { sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { createSettings } from '../installation/id.ts';
import { settings } from '../tables.ts';
import { type SecondFactorState, secondFactorOf } from '../user/second-factor-state.ts';

/** Whether the installation requires a second factor, and which accounts that concerns. */
export interface SecondFactorRule {
  isRequired: boolean;
  accounts: number;
  /** Those that have none. */
  without: number;
}

export async function readSecondFactorRule(db: { orm: Executor }): Promise<SecondFactorRule> {
  const [row] = await db.orm.execute<SecondFactorRule & Record<string, unknown>>(sql`
    select coalesce((select requires_second_factor from settings), false) as "isRequired",
      count(*)::int as accounts,
      (count(*) filter (where ${secondFactorOf(sql`u`)} = 'none'))::int as without
    from users u`);
  if (row === undefined) throw new Error('an aggregate returned no row');
  return row;
}

export async function isSecondFactorRequired(db: { orm: Executor }): Promise<boolean> {
  const [row] = await db.orm.select({ isRequired: settings.requiresSecondFactor }).from(settings);
  return row?.isRequired ?? false;
}

/**
 * Requires a second factor of each account, or no longer. A user without one can set one up and do nothing
 * else, from the next request on (`findSession`); so a user who requires it needs one first.
 */
export function setSecondFactorRule(
  ctx: VerbContext,
  { isRequired }: Pick<SecondFactorRule, 'isRequired'>,
): Promise<{ kind: 'updated' | 'unchanged' | 'no_second_factor' }> {
  return inTransaction(ctx, async (tx) => {
    await createSettings(tx);
    const [before] = await tx
      .select({ isRequired: settings.requiresSecondFactor })
      .from(settings)
      .for('update');
    if (before?.isRequired === isRequired) return { kind: 'unchanged' };
    const { actor } = ctx;
    if (
      isRequired &&
      actor.kind === 'user' &&
      (await readSecondFactorState({ orm: tx }, actor.userId)) === 'none'
    ) {
      return { kind: 'no_second_factor' };
    }
    await tx.update(settings).set({ requiresSecondFactor: isRequired, updatedAt: sql`now()` });
    await writeAudit(tx, ctx, {
      action: isRequired ? 'second_factor.require' : 'second_factor.release',
      target: { id: 'second_factor', label: 'second factor' },
      before: { isRequired: !isRequired },
      after: { isRequired },
    });
    return { kind: 'updated' };
  });
}

/** What a user has; undefined if they were deleted. */
export async function readSecondFactorState(
  db: { orm: Executor },
  userId: string,
): Promise<SecondFactorState | undefined> {
  const [row] = await db.orm.execute<{ state: SecondFactorState }>(stateQuery(userId));
  return row?.state;
}

/**
 * Whether the password of a user no longer signs in alone: a second factor is required, and theirs is a
 * passkey.
 */
export async function mustUsePasskey(db: { orm: Executor }, userId: string): Promise<boolean> {
  const rows = await db.orm.execute(sql`
    select from settings where requires_second_factor and (${stateQuery(userId)}) = 'passkey'`);
  return rows.length > 0;
}

const stateQuery = (userId: string) =>
  sql`select ${secondFactorOf(sql`u`)} as state from users u where u.id = ${userId}`;
