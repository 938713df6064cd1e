import { eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { alertDestinations } from '../tables.ts';
import {
  type ConfirmationRefusal,
  dropConfirmations,
  mayAsk,
  queueConfirmation,
} from './consent.ts';
import { auditOf, changing } from './destination.ts';
import { type DestinationInput, parsedDestination } from './destination-input.ts';
import type { AlertDestinationRef } from './ref.ts';

export type UpdateAlertDestinationInput = AlertDestinationRef &
  Pick<DestinationInput, 'problemOfUrl' | 'isMailOff'> &
  Partial<DestinationInput>;

export type UpdateAlertDestinationResult =
  | { kind: 'updated' | 'unchanged' | 'not_found' }
  | ConfirmationRefusal;

/**
 * Changes where a destination is and what it gets; absent fields keep their values. Alerts that are
 * queued go to the new address; those to a mail address only once it has confirmed.
 */
export async function updateAlertDestination(
  ctx: VerbContext,
  { projectId, destinationId, isMailOff, ...input }: UpdateAlertDestinationInput,
): Promise<UpdateAlertDestinationResult> {
  const ref = { projectId, destinationId };
  return changing<UpdateAlertDestinationResult>(ctx, ref, async (tx, found, audit) => {
    const values = parsedDestination(found.kind, { ...found, ...input });
    const [before, after] = [auditOf(found), auditOf({ ...found, ...values })];
    const isSame = found.address === values.address;
    if (isSame && JSON.stringify(before) === JSON.stringify(after)) return { kind: 'unchanged' };
    const asked =
      found.kind === 'mail' && !isSame
        ? await mayAsk(ctx, tx, { ...found, projectId, address: values.address, isMailOff })
        : null;
    if (asked !== null && asked.kind !== 'ask' && asked.kind !== 'confirmed') return asked;
    await tx
      .update(alertDestinations)
      .set({
        ...values,
        eventTypes: [...values.eventTypes],
        // Another address has not failed yet.
        ...(!isSame && { failingSince: null }),
      })
      .where(eq(alertDestinations.id, destinationId));
    if (found.kind === 'mail' && !isSame) await dropConfirmations(tx, destinationId);
    if (asked?.kind === 'ask') await queueConfirmation(tx, ref);
    await audit('alert_destination.update', { before, after }, { ...found, ...values });
    return { kind: 'updated' };
  });
}
