import type { SubscriptionStatus } from '@ceiba/contract';
import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { isForeignKeyViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { plans, projects, subscriptions } from '../tables.ts';
import { periodEndColumn } from './get.ts';

export interface SetSubscriptionInput {
  projectId: string;
  planId?: string;
  status?: SubscriptionStatus;
  /** The subscription lapses at this instant; null takes the end away. */
  currentPeriodEnd?: Date | null;
}

export type SetSubscriptionResult = {
  kind: 'updated' | 'unchanged' | 'not_found' | 'plan_not_found';
};

/**
 * Changes a project's subscription; an absent field stays as it is. Takes effect on the next
 * decision. A smaller cap leaves existing keys working and refuses new ones.
 */
export async function setSubscription(
  ctx: VerbContext,
  input: SetSubscriptionInput,
): Promise<SetSubscriptionResult> {
  try {
    return await change(ctx, input);
  } catch (fault) {
    // The plan was there when it was read, and was deleted before the subscription was written.
    if (isForeignKeyViolation(fault)) return { kind: 'plan_not_found' };
    throw fault;
  }
}

function change(
  ctx: VerbContext,
  { projectId, ...values }: SetSubscriptionInput,
): Promise<SetSubscriptionResult> {
  return inTransaction(ctx, async (tx) => {
    const [project] = await tx
      .select({ ownerId: projects.ownerId, name: projects.name })
      .from(projects)
      .where(eq(projects.id, projectId))
      .for('no key update');
    if (project === undefined) return { kind: 'not_found' };
    const before = await readSubscription(tx, projectId);
    const planId = values.planId ?? before?.planId;
    const planName = planId === undefined ? undefined : await nameOfPlan(tx, planId);
    if (planId === undefined || planName === undefined) return { kind: 'plan_not_found' };
    const after = {
      planId,
      status: values.status ?? before?.status ?? 'active',
      currentPeriodEnd:
        values.currentPeriodEnd === undefined
          ? (before?.currentPeriodEnd ?? null)
          : values.currentPeriodEnd,
    };
    if (before !== undefined && isSame(before, after)) return { kind: 'unchanged' };
    await tx
      .insert(subscriptions)
      .values({ projectId, ...after })
      .onConflictDoUpdate({
        target: subscriptions.projectId,
        set: { ...after, updatedAt: sql`now()` },
      });
    await writeAudit(tx, ctx, {
      action: 'subscription.set',
      target: { id: projectId, label: project.name },
      projectId,
      ownerId: project.ownerId,
      ...(before === undefined ? {} : { before: told(before, before.planName) }),
      after: told(after, planName),
    });
    return { kind: 'updated' };
  });
}

interface SubscriptionFacts {
  planId: string;
  status: SubscriptionStatus;
  currentPeriodEnd: Date | null;
}

async function readSubscription(tx: Executor, projectId: string) {
  const [row] = await tx
    .select({
      planId: subscriptions.planId,
      planName: plans.name,
      status: subscriptions.status,
      currentPeriodEnd: periodEndColumn,
    })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(eq(subscriptions.projectId, projectId));
  return row;
}

async function nameOfPlan(tx: Executor, planId: string): Promise<string | undefined> {
  const [row] = await tx.select({ name: plans.name }).from(plans).where(eq(plans.id, planId));
  return row?.name;
}

const isSame = (a: SubscriptionFacts, b: SubscriptionFacts) =>
  a.planId === b.planId &&
  a.status === b.status &&
  a.currentPeriodEnd?.getTime() === b.currentPeriodEnd?.getTime();

const told = ({ status, currentPeriodEnd }: SubscriptionFacts, plan: string) => ({
  plan,
  status,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
});
