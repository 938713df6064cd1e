import { ALERT_DESTINATIONS_MAX, type AlertDestinationKind } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { changingProject } from '../project/change.ts';
import { alertDestinations } from '../tables.ts';
import { type ConfirmationRefusal, mayAsk, queueConfirmation } from './consent.ts';
import { alertLabel, auditOf } from './destination.ts';
import { type DestinationInput, parsedDestination } from './destination-input.ts';

export interface CreateAlertDestinationInput extends DestinationInput {
  projectId: string;
  kind: AlertDestinationKind;
  /** Signs the requests of a webhook; null for mail. The caller shows it once. */
  signingSecret: Buffer | null;
}

export type CreateAlertDestinationResult =
  | { kind: 'created'; destinationId: string }
  | { kind: 'too_many' | 'not_found' }
  | ConfirmationRefusal;

/**
 * Adds a destination. A webhook gets the alerts that are queued from now on; a mail address is asked
 * first, unless it has confirmed to this project before.
 */
export async function createAlertDestination(
  ctx: VerbContext,
  { projectId, kind, signingSecret, isMailOff, ...input }: CreateAlertDestinationInput,
): Promise<CreateAlertDestinationResult> {
  const { eventTypes, ...rest } = parsedDestination(kind, input);
  const values = { kind, signingSecret, ...rest };
  return changingProject(ctx, projectId, async (tx, project, audit) => {
    const existing = await tx.$count(alertDestinations, eq(alertDestinations.projectId, projectId));
    if (existing >= ALERT_DESTINATIONS_MAX) return { kind: 'too_many' };
    const asked =
      kind === 'mail'
        ? await mayAsk(ctx, tx, { ...project, projectId, address: values.address, isMailOff })
        : null;
    if (asked !== null && asked.kind !== 'ask' && asked.kind !== 'confirmed') return asked;
    const [created] = await tx
      .insert(alertDestinations)
      .values({ projectId, eventTypes: [...eventTypes], ...values })
      .returning({ destinationId: alertDestinations.id });
    if (created === undefined) throw new Error('an insert returned no row');
    if (asked?.kind === 'ask') await queueConfirmation(tx, { projectId, ...created });
    const target = { id: created.destinationId, label: alertLabel(values) };
    await audit('alert_destination.create', target, { after: auditOf({ ...values, eventTypes }) });
    return { kind: 'created', ...created };
  });
}
