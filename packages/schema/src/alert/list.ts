import type {
  AlertConsent,
  AlertDeliveryStatus,
  AlertDestinationKind,
  AlertDisabledReason,
} from '@ceiba/domain';
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { consentColumn } from '../outbox/consent-of.ts';
import { keyset, NUMBER_ID, type Page, type PageRequest, readPage } from '../page.ts';
import { alertDeliveries, alertDestinations, alertEvents } from '../tables.ts';
import type { AlertDestinationRef } from './ref.ts';

/** A destination without its signing secret. */
export interface AlertDestination {
  destinationId: string;
  kind: AlertDestinationKind;
  /** A URL or a mail address. A URL may hold a token: show others its origin (`publicAddress`). */
  address: string;
  description: string;
  eventTypes: string[];
  /** What a mail address answered; null for a webhook, and while an address has not answered. */
  consent: AlertConsent | null;
  createdAt: Date;
  disabledAt: Date | null;
  disabledReason: AlertDisabledReason | null;
  /** Since when every attempt failed. */
  failingSince: Date | null;
  /** Until when a secret before the current one signs as well. */
  previousSecretExpiresAt: Date | null;
}

const columns = {
  destinationId: alertDestinations.id,
  kind: alertDestinations.kind,
  address: alertDestinations.address,
  description: alertDestinations.description,
  eventTypes: alertDestinations.eventTypes,
  consent: consentColumn(sql`alert_destinations`) as SQL<AlertConsent | null>,
  createdAt: alertDestinations.createdAt,
  disabledAt: alertDestinations.disabledAt,
  disabledReason: alertDestinations.disabledReason,
  failingSince: alertDestinations.failingSince,
  previousSecretExpiresAt: sql`case when ${alertDestinations.previousSecretExpiresAt} > now()
    then ${alertDestinations.previousSecretExpiresAt} end`.mapWith(
    alertDestinations.previousSecretExpiresAt,
  ),
};

/** All destinations of a project, newest first. */
export function listAlertDestinations(
  db: { orm: Executor },
  projectId: string,
): Promise<AlertDestination[]> {
  return db.orm
    .select(columns)
    .from(alertDestinations)
    .where(eq(alertDestinations.projectId, projectId))
    .orderBy(desc(alertDestinations.createdAt), desc(alertDestinations.id));
}

/** @returns null when the project has no such destination */
export async function getAlertDestination(
  db: { orm: Executor },
  { projectId, destinationId }: AlertDestinationRef,
): Promise<AlertDestination | null> {
  const [row] = await db.orm
    .select(columns)
    .from(alertDestinations)
    .where(
      and(eq(alertDestinations.id, destinationId), eq(alertDestinations.projectId, projectId)),
    );
  return row ?? null;
}

/** One alert to one destination. */
export interface AlertDelivery {
  deliveryId: number;
  /** The `webhook-id`. */
  eventId: string;
  type: string;
  createdAt: Date;
  status: AlertDeliveryStatus;
  attempts: number;
  lastAttemptAt: Date | null;
  /** Null unless another attempt will be made. */
  nextAttemptAt: Date | null;
  /** A status of HTTP or a reply code of SMTP. */
  lastStatus: number | null;
  lastError: string | null;
}

/** One page of what a destination got, newest first. */
export function listAlertDeliveries(
  db: { orm: Executor },
  { projectId, destinationId, ...page }: AlertDestinationRef & PageRequest,
): Promise<Page<AlertDelivery>> {
  return readPage(
    page,
    { idOf: ({ deliveryId }: AlertDelivery) => deliveryId, idFormat: NUMBER_ID },
    (place, count) => {
      const { orderBy, beyond } = keyset(place, {
        value: sql`${alertDeliveries.id}`,
        id: sql`${alertDeliveries.id}`,
        descending: true,
        rowAt: (id) => sql`(select d.id, d.id from alert_deliveries d where d.id = ${id}::bigint)`,
      });
      return db.orm
        .select({
          deliveryId: alertDeliveries.id,
          eventId: alertDeliveries.eventId,
          type: alertEvents.type,
          createdAt: alertEvents.createdAt,
          status: alertDeliveries.status,
          attempts: alertDeliveries.attempts,
          lastAttemptAt: alertDeliveries.lastAttemptAt,
          nextAttemptAt: sql`case when ${alertDeliveries.status} = 'pending'
            then ${alertDeliveries.nextAttemptAt} end`.mapWith((at: string | null): Date | null =>
            at === null ? null : new Date(at),
          ),
          lastStatus: alertDeliveries.lastStatus,
          lastError: alertDeliveries.lastError,
        })
        .from(alertDeliveries)
        .innerJoin(alertEvents, eq(alertEvents.id, alertDeliveries.eventId))
        .where(
          and(
            eq(alertDeliveries.destinationId, destinationId),
            eq(alertEvents.projectId, projectId),
            beyond,
          ),
        )
        .orderBy(...orderBy)
        .limit(count);
    },
  );
}
