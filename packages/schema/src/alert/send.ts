import { TEST_ALERT } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Transactor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { alertDeliveries } from '../tables.ts';
import { chargeAlertAgain, chargeAlertTest } from '../user/sign-in-attempts.ts';
import { type ConfirmationRefusal, mayAsk, queueConfirmation, queueFor } from './consent.ts';
import { changing, type Found } from './destination.ts';
import type { AlertDestinationRef } from './ref.ts';

export type SendAlertResult =
  | { kind: 'queued' | 'disabled' | 'unconfirmed' | 'unchanged' | 'not_found' }
  | ConfirmationRefusal;

/** Queues a test for one destination, whatever types it wants. */
export function sendTestAlert(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<SendAlertResult> {
  return changing<SendAlertResult>(ctx, ref, async (tx, found, audit) => {
    const refused = refusalOf(found);
    if (refused !== null) return refused;
    const charged = await chargeAlertTest(within(ctx, tx), found.ownerId);
    if (charged.kind === 'limited') return charged;
    const data = sql`jsonb_build_object('project', jsonb_build_object('id', p.id, 'name', p.name))`;
    await queueFor(tx, ref, { type: TEST_ALERT, data });
    await audit('alert_destination.test');
    return { kind: 'queued' };
  });
}

/** Queues a failed delivery again, with the same id and all attempts. */
export function sendAlertAgain(
  ctx: VerbContext,
  { deliveryId, ...ref }: AlertDestinationRef & { deliveryId: number },
): Promise<SendAlertResult> {
  return changing<SendAlertResult>(ctx, ref, async (tx, found, audit) => {
    const refused = refusalOf(found);
    if (refused !== null) return refused;
    const [delivery] = await tx
      .select({ status: alertDeliveries.status })
      .from(alertDeliveries)
      .where(isDelivery(ref, deliveryId));
    if (delivery === undefined) return { kind: 'not_found' };
    if (delivery.status !== 'failed') return { kind: 'unchanged' };
    const charged = await chargeAlertAgain(within(ctx, tx), found.ownerId);
    if (charged.kind === 'limited') return charged;
    await tx
      .update(alertDeliveries)
      .set({ status: 'pending', attempts: 0, nextAttemptAt: sql`now()`, claimedUntil: null })
      .where(isDelivery(ref, deliveryId));
    await audit('alert_destination.send_again');
    return { kind: 'queued' };
  });
}

const isDelivery = ({ destinationId }: AlertDestinationRef, deliveryId: number) =>
  and(eq(alertDeliveries.id, deliveryId), eq(alertDeliveries.destinationId, destinationId));

/** Asks the address of a mail destination again whether it wants alerts. */
export function sendConfirmation(
  ctx: VerbContext,
  { isMailOff, ...ref }: AlertDestinationRef & { isMailOff?: boolean },
): Promise<SendAlertResult> {
  return changing<SendAlertResult>(ctx, ref, async (tx, found, audit) => {
    if (found.kind !== 'mail') return { kind: 'not_found' };
    if (found.disabledReason !== null) return { kind: 'disabled' };
    const asked = await mayAsk(ctx, tx, { ...found, projectId: ref.projectId, isMailOff });
    if (asked.kind === 'confirmed') return { kind: 'unchanged' };
    if (asked.kind !== 'ask') return asked;
    await queueConfirmation(tx, ref);
    await audit('alert_destination.ask');
    return { kind: 'queued' };
  });
}

/** The context of what belongs to a transaction. */
const within = (ctx: VerbContext, orm: Transactor): VerbContext => ({ ...ctx, db: { orm } });

/** Why nothing goes to a destination; null if it gets alerts. */
function refusalOf({ disabledReason, hasConsent }: Found): SendAlertResult | null {
  if (disabledReason !== null) return { kind: 'disabled' };
  return hasConsent ? null : { kind: 'unconfirmed' };
}
