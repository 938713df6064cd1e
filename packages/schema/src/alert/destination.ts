import type { AlertDestinationKind } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { AuditAction, AuditEntry } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { hasConsent } from '../outbox/consent-of.ts';
import { alertDestinations, projects } from '../tables.ts';
import type { AlertDestinationRef } from './ref.ts';

export type Found = NonNullable<Awaited<ReturnType<typeof lockDestination>>>;

/** Only deletion takes the lock that the alerts being queued for the destination wait for. */
type RowLock = 'update' | 'no key update';

/** Writes the audit row of a change of a destination, which is shown as it was found. */
type Audit = (
  action: Extract<AuditAction, `alert_destination.${string}`>,
  states?: Pick<AuditEntry, 'before' | 'after'>,
  shown?: Described,
) => Promise<void>;

/** Runs a change of a destination while its row is locked. */
export function changing<Result extends { kind: string }>(
  ctx: VerbContext,
  ref: AlertDestinationRef,
  change: (tx: Transactor, found: Found, audit: Audit) => Promise<Result>,
  lock: RowLock = 'no key update',
): Promise<Result | { kind: 'not_found' }> {
  return inTransaction<Result | { kind: 'not_found' }>(ctx, async (tx) => {
    const found = await lockDestination(tx, ref, lock);
    if (found === undefined) return { kind: 'not_found' };
    return change(tx, found, (action, states, shown = found) =>
      writeAudit(tx, ctx, {
        action,
        target: { id: ref.destinationId, label: alertLabel(shown) },
        projectId: ref.projectId,
        ownerId: found.ownerId,
        ...states,
      }),
    );
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

/** What the audit log shows of a destination. */
export const auditOf = ({
  eventTypes,
  ...found
}: Described & { eventTypes: readonly string[] }) => ({
  kind: found.kind,
  address: publicAddress(found),
  description: found.description,
  eventTypes: [...eventTypes],
});
