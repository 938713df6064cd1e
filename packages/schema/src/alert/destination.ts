import {
  ALERT_DESTINATIONS_MAX,
  type AlertDestinationKind,
  type AlertDisabledReason,
  type AlertType,
  SECRET_OVERLAP_HOURS,
} from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { lockProject } from '../project/lock.ts';
import { alertDeliveries, alertDestinations, projects } from '../tables.ts';
import type { AttemptResult } from '../user/sign-in-attempts.ts';
import { dropConfirmations, mayAsk, queueConfirmation } from './consent.ts';
import { hasConsent } from './consent-of.ts';
import type { AlertDestinationRef } from './ref.ts';

export interface CreateAlertDestinationInput {
  projectId: string;
  kind: AlertDestinationKind;
  /** A URL or a mail address. */
  address: string;
  /** What users call it; may be empty. */
  description: string;
  eventTypes: readonly AlertType[];
  /** Signs the requests of a webhook; null for mail. The caller shows it once. */
  signingSecret: Buffer | null;
  /** No mail can ask an address whether it wants alerts. */
  isMailOff?: boolean;
}

export type CreateAlertDestinationResult =
  | { kind: 'created'; destinationId: string }
  | { kind: 'too_many' | 'unsubscribed' | 'mail_off' | 'not_found' }
  | Extract<AttemptResult, { kind: 'limited' }>;

/**
 * Adds a destination. A webhook gets the alerts that are queued from now on; a mail address is asked
 * first, unless it has confirmed to this project before.
 */
export async function createAlertDestination(
  ctx: VerbContext,
  input: CreateAlertDestinationInput,
): Promise<CreateAlertDestinationResult> {
  const { projectId, eventTypes, isMailOff, ...values } = checked(input);
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    if (isMailOff && values.kind === 'mail') return { kind: 'mail_off' };
    if ((await countDestinations(tx, projectId)) >= ALERT_DESTINATIONS_MAX) {
      return { kind: 'too_many' };
    }
    const asked =
      values.kind === 'mail'
        ? await mayAsk(
            { ...ctx, db: { orm: tx } },
            { ...project, projectId, address: values.address },
          )
        : null;
    if (asked?.kind === 'unsubscribed' || asked?.kind === 'limited') return asked;
    const [created] = await tx
      .insert(alertDestinations)
      .values({ projectId, eventTypes: [...eventTypes], ...values })
      .returning({ destinationId: alertDestinations.id });
    if (created === undefined) throw new Error('an insert returned no row');
    if (asked?.kind === 'ask') await queueConfirmation(tx, { projectId, ...created });
    await writeAudit(tx, ctx, {
      action: 'alert_destination.create',
      target: { id: created.destinationId, label: alertLabel(values) },
      projectId,
      ownerId: project.ownerId,
      after: auditOf({ ...values, eventTypes }),
    });
    return { kind: 'created', ...created };
  });
}

async function countDestinations(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(alertDestinations)
    .where(eq(alertDestinations.projectId, projectId));
  return row?.count ?? 0;
}

export interface UpdateAlertDestinationInput extends AlertDestinationRef {
  /** Or a check of it, by the kind of the destination, that throws what is wrong. */
  address: string | ((kind: AlertDestinationKind) => string);
  description: string;
  eventTypes: readonly AlertType[];
}

export type UpdateAlertDestinationResult =
  | { kind: 'updated' | 'unchanged' | 'unsubscribed' | 'not_found' }
  | Extract<AttemptResult, { kind: 'limited' }>;

/**
 * Changes where a destination is and what it gets. Alerts that are queued go to the new address; those
 * to a mail address only once it has confirmed.
 */
export async function updateAlertDestination(
  ctx: VerbContext,
  { projectId, destinationId, address, ...input }: UpdateAlertDestinationInput,
): Promise<UpdateAlertDestinationResult> {
  const rest = checked(input);
  const ref = { projectId, destinationId };
  return changing<UpdateAlertDestinationResult>(ctx, ref, async (tx, found) => {
    const values = {
      ...rest,
      address: typeof address === 'string' ? address : address(found.kind),
    };
    const [before, after] = [auditOf(found), auditOf({ ...found, ...values })];
    const isSame = found.address === values.address;
    if (isSame && JSON.stringify(before) === JSON.stringify(after)) return { kind: 'unchanged' };
    const asked =
      found.kind === 'mail' && !isSame
        ? await mayAsk(
            { ...ctx, db: { orm: tx } },
            { ...found, projectId, address: values.address },
          )
        : null;
    if (asked?.kind === 'unsubscribed' || asked?.kind === 'limited') return asked;
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
    await writeAudit(tx, ctx, {
      action: 'alert_destination.update',
      target: { id: destinationId, label: alertLabel({ ...found, ...values }) },
      projectId,
      ownerId: found.ownerId,
      before,
      after,
    });
    return { kind: 'updated' };
  });
}

/** Makes a new signing secret current; the one that it replaces signs as well for 24 hours. */
export function rotateSigningSecret(
  ctx: VerbContext,
  { signingSecret, ...ref }: AlertDestinationRef & { signingSecret: Buffer },
): Promise<{ kind: 'rotated' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found) => {
    if (found.kind !== 'webhook') return { kind: 'not_found' };
    await tx
      .update(alertDestinations)
      .set({
        signingSecret,
        previousSecret: sql`${alertDestinations.signingSecret}`,
        previousSecretExpiresAt: sql`now() + make_interval(hours => ${SECRET_OVERLAP_HOURS})`,
      })
      .where(eq(alertDestinations.id, ref.destinationId));
    await writeAudit(tx, ctx, {
      action: 'alert_destination.rotate_secret',
      target: { id: ref.destinationId, label: alertLabel(found) },
      projectId: ref.projectId,
      ownerId: found.ownerId,
    });
    return { kind: 'rotated' };
  });
}

/** Enables a destination again. What was queued when it was disabled is not sent by itself. */
export function enableAlertDestination(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<{ kind: 'updated' | 'unchanged' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found) => {
    if (found.disabledReason === null) return { kind: 'unchanged' };
    await tx
      .update(alertDestinations)
      .set({ disabledAt: null, disabledReason: null, failingSince: null })
      .where(eq(alertDestinations.id, ref.destinationId));
    await writeAudit(tx, ctx, {
      action: 'alert_destination.enable',
      target: { id: ref.destinationId, label: alertLabel(found) },
      projectId: ref.projectId,
      ownerId: found.ownerId,
      before: { disabledReason: found.disabledReason },
    });
    return { kind: 'updated' };
  });
}

/** Disables a destination: it gets no further alerts, and those that are queued count as failed. */
export function disableAlertDestination(
  ctx: VerbContext,
  { reason, ...ref }: AlertDestinationRef & { reason: AlertDisabledReason },
): Promise<{ kind: 'updated' | 'unchanged' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found) => {
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
    await writeAudit(tx, ctx, {
      action: 'alert_destination.disable',
      target: { id: ref.destinationId, label: alertLabel(found) },
      projectId: ref.projectId,
      ownerId: found.ownerId,
      after: { disabledReason: reason },
    });
    return { kind: 'updated' };
  });
}

/** Deletes a destination with the history of its deliveries. */
export function deleteAlertDestination(
  ctx: VerbContext,
  ref: AlertDestinationRef,
): Promise<{ kind: 'deleted' | 'not_found' }> {
  return changing(
    ctx,
    ref,
    async (tx, found) => {
      await tx.delete(alertDestinations).where(eq(alertDestinations.id, ref.destinationId));
      await writeAudit(tx, ctx, {
        action: 'alert_destination.delete',
        target: { id: ref.destinationId, label: alertLabel(found) },
        projectId: ref.projectId,
        ownerId: found.ownerId,
        before: auditOf(found),
      });
      return { kind: 'deleted' };
    },
    'update',
  );
}

export type Found = NonNullable<Awaited<ReturnType<typeof lockDestination>>>;

/** Only deletion takes the lock that the alerts being queued for the destination wait for. */
type RowLock = 'update' | 'no key update';

/** Runs a change of a destination while its row is locked. */
export function changing<Result extends { kind: string }>(
  ctx: VerbContext,
  ref: AlertDestinationRef,
  change: (tx: Transactor, found: Found) => Promise<Result>,
  lock: RowLock = 'no key update',
): Promise<Result | { kind: 'not_found' }> {
  return inTransaction<Result | { kind: 'not_found' }>(ctx, async (tx) => {
    const found = await lockDestination(tx, ref, lock);
    return found === undefined ? { kind: 'not_found' } : change(tx, found);
  });
}

async function lockDestination(
  tx: Executor,
  { projectId, destinationId }: AlertDestinationRef,
  lock: RowLock,
) {
  const [row] = await tx
    .select({
      kind: alertDestinations.kind,
      address: alertDestinations.address,
      description: alertDestinations.description,
      eventTypes: alertDestinations.eventTypes,
      disabledReason: alertDestinations.disabledReason,
      failingSince: alertDestinations.failingSince,
      ownerId: projects.ownerId,
      hasConsent: hasConsent(sql`alert_destinations`).mapWith(Boolean),
    })
    .from(alertDestinations)
    .innerJoin(projects, eq(projects.id, alertDestinations.projectId))
    .where(and(eq(alertDestinations.id, destinationId), eq(alertDestinations.projectId, projectId)))
    .for(lock, { of: alertDestinations });
  return row;
}

interface Described {
  kind: AlertDestinationKind;
  address: string;
  description: string;
}

/** The name of a destination where everyone may read it: of a URL, only the origin. */
export const alertLabel = ({ kind, address, description }: Described): string =>
  description === '' ? publicAddress({ kind, address }) : description;

/** A mail address, or the origin of a URL, whose path may hold a token. */
export const publicAddress = ({ kind, address }: Pick<Described, 'kind' | 'address'>): string =>
  kind === 'webhook' ? new URL(address).origin : address;

const auditOf = ({ eventTypes, ...found }: Described & { eventTypes: readonly string[] }) => ({
  kind: found.kind,
  address: publicAddress(found),
  description: found.description,
  eventTypes: [...eventTypes],
});
