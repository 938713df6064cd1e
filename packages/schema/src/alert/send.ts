import { TEST_ALERT, TESTS_PER_HOUR } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { AuditAction } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { alertDeliveries } from '../tables.ts';
import { type AlertDestinationRef, alertLabel, changing } from './destination.ts';

export type SendAlertResult = {
  kind: 'queued' | 'disabled' | 'too_many' | 'unchanged' | 'not_found';
};

/** Queues a test for one destination, whatever types it wants. */
export function sendTestAlert(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<SendAlertResult> {
  return changing<SendAlertResult>(ctx, ref, async (tx, found) => {
    if (found.disabledReason !== null) return { kind: 'disabled' };
    if ((await countTests(tx, ref.projectId)) >= TESTS_PER_HOUR) return { kind: 'too_many' };
    await tx.execute(sql`
      with event as (
        insert into alert_events (project_id, type, subject, data)
        select id, ${TEST_ALERT}, gen_random_uuid()::text,
          jsonb_build_object('project', jsonb_build_object('id', id, 'name', name))
        from projects where id = ${ref.projectId} returning id
      )
      insert into alert_deliveries (event_id, destination_id)
      select id, ${ref.destinationId}::uuid from event`);
    await audit(tx, ctx, { action: 'alert_destination.test', ref, found });
    return { kind: 'queued' };
  });
}

/** Queues a failed delivery again, with the same id and all attempts. */
export function sendAlertAgain(
  ctx: VerbContext,
  { deliveryId, ...ref }: AlertDestinationRef & { deliveryId: number },
): Promise<SendAlertResult> {
  return changing<SendAlertResult>(ctx, ref, async (tx, found) => {
    if (found.disabledReason !== null) return { kind: 'disabled' };
    const [delivery] = await tx
      .select({ status: alertDeliveries.status })
      .from(alertDeliveries)
      .where(isDelivery(ref, deliveryId));
    if (delivery === undefined) return { kind: 'not_found' };
    if (delivery.status !== 'failed') return { kind: 'unchanged' };
    await tx
      .update(alertDeliveries)
      .set({ status: 'pending', attempts: 0, nextAttemptAt: sql`now()`, claimedUntil: null })
      .where(isDelivery(ref, deliveryId));
    await audit(tx, ctx, { action: 'alert_destination.send_again', ref, found });
    return { kind: 'queued' };
  });
}

const isDelivery = ({ destinationId }: AlertDestinationRef, deliveryId: number) =>
  and(eq(alertDeliveries.id, deliveryId), eq(alertDeliveries.destinationId, destinationId));

/** By project: the tests of a destination that was deleted count as well. */
async function countTests(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from alert_events
    where project_id = ${projectId} and type = ${TEST_ALERT}
      and created_at > now() - interval '1 hour'`);
  return row?.count ?? 0;
}

interface Sent {
  action: AuditAction;
  ref: AlertDestinationRef;
  found: Parameters<typeof alertLabel>[0] & { ownerId: string };
}

const audit = (tx: Executor, ctx: VerbContext, { action, ref, found }: Sent) =>
  writeAudit(tx, ctx, {
    action,
    target: { id: ref.destinationId, label: alertLabel(found) },
    projectId: ref.projectId,
    ownerId: found.ownerId,
  });
