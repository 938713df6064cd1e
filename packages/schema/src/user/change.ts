import { eq } from 'drizzle-orm';
import type { AuditAction, AuditEntry } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { users } from '../tables.ts';
import { lockProven, type ProvenUser } from './lock.ts';

type AccountAction = Extract<AuditAction, `user.${string}` | `sign_in.${string}`>;
type States = Pick<AuditEntry, 'before' | 'after'>;

/** Writes the audit row of a change of an account, which is shown by its address. */
export async function auditAccount(
  tx: Executor,
  ctx: VerbContext,
  action: AccountAction,
  { userId, email }: { userId: string; email?: string },
  states: States = {},
): Promise<void> {
  const label = email ?? (await emailOf(tx, userId));
  const target = { id: userId, ...(label !== undefined && { label }) };
  await writeAudit(tx, ctx, { action, target, ownerId: userId, ...states });
}

/** As {@link auditAccount}, of what the user of the account did: they had no session when it began. */
export async function auditOwnAct(
  tx: Executor,
  ctx: VerbContext,
  action: AccountAction,
  userId: string,
  states?: States,
): Promise<void> {
  const email = (await emailOf(tx, userId)) ?? '';
  const actor = { kind: 'user', userId, email } as const;
  await auditAccount(tx, { ...ctx, actor }, action, { userId, email }, states);
}

/** The address of a user; undefined if they were deleted. */
export async function emailOf(tx: Executor, userId: string): Promise<string | undefined> {
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return user?.email;
}

/** Runs a change of the account of a proven user while its row is locked; `outdated` without the proof. */
export function changingAccount<Result extends { kind: string }>(
  ctx: VerbContext,
  user: ProvenUser,
  change: (
    tx: Transactor,
    audit: (action: AccountAction, states?: States) => Promise<void>,
    email: string,
  ) => Promise<Result>,
): Promise<Result | { kind: 'outdated' }> {
  return inTransaction<Result | { kind: 'outdated' }>(ctx, async (tx) => {
    const found = await lockProven(tx, user);
    if (found === null) return { kind: 'outdated' };
    const account = { userId: user.userId, email: found.email };
    const audit = (action: AccountAction, states?: States) =>
      auditAccount(tx, ctx, action, account, states);
    return change(tx, audit, found.email);
  });
}
