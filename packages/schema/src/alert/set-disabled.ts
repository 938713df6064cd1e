import type { AlertDisabledReason } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { alertDeliveries, alertDestinations } from '../tables.ts';
import { changing } from './destination.ts';
import type { AlertDestinationRef } from './ref.ts';

/** Enables a destination again. What was queued when it was disabled is not sent by itself. */
export function enableAlertDestination(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<{ kind: 'updated' | 'unchanged' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found, audit) => {
    if (found.disabledReason === null) return { kind: 'unchanged' };
    await tx
      .update(alertDestinations)
      .set({ disabledAt: null, disabledReason: null, failingSince: null })
      .where(eq(alertDestinations.id, ref.destinationId));
    await audit('alert_destination.enable', { before: { disabledReason: found.disabledReason } });
    return { kind: 'updated' };
  });
}

/** Disables a destination: it gets no further alerts, and those that are queued count as failed. */
export function disableAlertDestination(
  ctx: VerbContext,
  { reason, ...ref }: AlertDestinationRef & { reason: AlertDisabledReason },
): Promise<{ kind: 'updated' | 'unchanged' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found, audit) => {
    if (found.disabledReason !== null) return { kind: 'unchanged' };
    await tx
      .update(alertDestinations)
      .set({ disabledAt: sql`now()`, disabledReason: reason })
      .where(eq(alertDestinations.id, ref.destinationId));
    await tx
      .update(alertDeliveries)
      .set({
        status: 'failed',
        lastError: sql`coalesce(last_error, 'the destination was disabled')`,
      })
      .where(
        and(
          eq(alertDeliveries.destinationId, ref.destinationId),
          eq(alertDeliveries.status, 'pending'),
        ),
      );
    await audit('alert_destination.disable', { after: { disabledReason: reason } });
    return { kind: 'updated' };
  });
}
