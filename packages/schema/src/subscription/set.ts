import type { SubscriptionStatus } from '@ceiba/contract';
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { onForeignKeyViolation } from '../connection/errors.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { plans, subscriptions } from '../tables.ts';
import { periodEndColumn } from './get.ts';

export interface SetSubscriptionInput {
  projectId: string;
  planId?: string | undefined;
  status?: SubscriptionStatus | undefined;
  /** The subscription lapses at this instant; null means that it has no end. */
  currentPeriodEnd?: Date | null | undefined;
}

export type SetSubscriptionResult = {
  kind: 'updated' | 'unchanged' | 'not_found' | 'plan_not_found';
};

/**
 * Changes a project's subscription; absent fields keep their values. Takes effect with the next
 * decision. A lower cap keeps existing keys and refuses new ones.
 */
export async function setSubscription(
  ctx: VerbContext,
  { projectId, ...input }: SetSubscriptionInput,
): Promise<SetSubscriptionResult> {
  const values = checked(input, ['currentPeriodEnd']);
  const change = changingProject<SetSubscriptionResult>(
    ctx,
    projectId,
    async (tx, { name }, audit) => {
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
      await audit(
        'subscription.set',
        { id: projectId, label: name },
        {
          ...(before && { before: auditOf(before, before.planName) }),
          after: auditOf(after, planName),
        },
      );
      return { kind: 'updated' };
    },
  );
  // The plan may be deleted after it was read and before the subscription is written.
  return change.catch(onForeignKeyViolation({ kind: 'plan_not_found' }));
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

const auditOf = ({ status, currentPeriodEnd }: SubscriptionFacts, plan: string) => ({
  plan,
  status,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
});
