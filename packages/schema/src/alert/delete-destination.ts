import { eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { alertDestinations } from '../tables.ts';
import { auditOf, changing } from './destination.ts';
import type { AlertDestinationRef } from './ref.ts';

/** Deletes a destination with the history of its deliveries. */
export function deleteAlertDestination(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<{ kind: 'deleted' | 'not_found' }> {
  return changing(
    ctx,
    ref,
    async (tx, found, audit) => {
      await tx.delete(alertDestinations).where(eq(alertDestinations.id, ref.destinationId));
      await audit('alert_destination.delete', { before: auditOf(found) });
      return { kind: 'deleted' };
    },
    'update',
  );
}
