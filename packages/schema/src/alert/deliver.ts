import {
  ALERT_ATTEMPTS_MAX,
  type AlertDestinationKind,
  FAILING_DAYS,
  MAILS_PER_HOUR,
} from '@ceiba/domain';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { alertDeliveries, alertDestinations } from '../tables.ts';
import { toMs } from '../time.ts';
import { type AlertDestinationRef, changing, disableAlertDestination } from './destination.ts';

/** A delivery whose next attempt belongs to the process that claimed it. */
export interface ClaimedDelivery extends AlertDestinationRef {
  deliveryId: number;
  /** The number of this attempt, from 1. */
  attempt: number;
  event: { id: string; type: string; createdAt: Date; data: Record<string, unknown> };
  kind: AlertDestinationKind;
  address: string;
  /** The current signing secret first; a previous one while it is valid. Empty for mail. */
  signingSecrets: Buffer[];
}

interface ClaimedRow extends Record<string, unknown> {
  deliveryId: string;
  attempt: number;
  eventId: string;
  type: string;
  createdAtMs: number;
  data: Record<string, unknown>;
  projectId: string;
  destinationId: string;
  kind: AlertDestinationKind;
  address: string;
  /** In hexadecimal. */
  secret: string | null;
  previousSecret: string | null;
}

/**
 * Claims deliveries that are due: the oldest of each destination, none of a destination with an
 * attempt under way, and of a project so many that {@link PROJECT_PLACES} are under way, so that a
 * slow receiver or a long queue delays only its own. No other process gets them until `claimSeconds`
 * have passed; after that, an attempt whose process ended is made again, unless it was the last.
 *
 * @param most The most to claim.
 * @param claimSeconds Longer than an attempt can take.
 */
export async function claimAlertDeliveries(
  db: { orm: Executor },
  { most, claimSeconds }: { most: number; claimSeconds: number },
): Promise<ClaimedDelivery[]> {
  const rows = await db.orm.execute<ClaimedRow>(sql`
    with under_way as materialized (
      select d.project_id, a.destination_id
      from alert_deliveries a join alert_destinations d on d.id = a.destination_id
      where a.status = 'pending' and a.claimed_until > now()
    ), oldest as (
      select d.project_id, due.id, due.next_attempt_at
      from alert_destinations d
      cross join lateral (
        select a.id, a.next_attempt_at from alert_deliveries a
        where a.destination_id = d.id and a.status = 'pending' and a.next_attempt_at <= now()
        order by a.next_attempt_at, a.id limit 1
      ) due
      where d.disabled_at is null and d.id not in (select destination_id from under_way)
        and (d.kind <> 'mail' or ${mailsOfHour(sql`d.id`)} < ${MAILS_PER_HOUR})
    ), ranked as materialized (
      select id, next_attempt_at,
        row_number() over (partition by project_id order by next_attempt_at, id)
          + (select count(*) from under_way u where u.project_id = oldest.project_id) as place
      from oldest
    ), first as materialized (
      select a.id, a.attempts from ranked join alert_deliveries a on a.id = ranked.id
      where ranked.place <= ${PROJECT_PLACES}
        -- Checked again on a row that another process has just claimed or recorded.
        and a.status = 'pending' and a.next_attempt_at <= now()
        and (a.claimed_until is null or a.claimed_until <= now())
      order by ranked.next_attempt_at, a.id limit ${most} for update of a skip locked
    ), lost as (
      update alert_deliveries set status = 'failed', claimed_until = null,
        last_error = coalesce(last_error, 'the last attempt did not end')
      where id in (select id from first where attempts >= ${ALERT_ATTEMPTS_MAX})
    ), claimed as (
      update alert_deliveries a set attempts = a.attempts + 1, last_attempt_at = now(),
        claimed_until = now() + make_interval(secs => ${claimSeconds})
      where a.id in (select id from first where attempts < ${ALERT_ATTEMPTS_MAX})
      returning a.id, a.attempts, a.event_id, a.destination_id
    )
    select claimed.id as "deliveryId", claimed.attempts as attempt, e.id as "eventId", e.type,
      ${toMs(sql`e.created_at`)} as "createdAtMs", e.data, e.project_id as "projectId",
      d.id as "destinationId", d.kind, d.address, encode(d.signing_secret, 'hex') as secret,
      case when d.previous_secret_expires_at > now() then encode(d.previous_secret, 'hex') end
        as "previousSecret"
    from claimed join alert_events e on e.id = claimed.event_id
    join alert_destinations d on d.id = claimed.destination_id`);
  return [...rows].map(({ eventId, type, createdAtMs, data, secret, previousSecret, ...row }) => ({
    ...row,
    deliveryId: Number(row.deliveryId),
    event: { id: eventId, type, createdAt: new Date(createdAtMs), data },
    signingSecrets: [secret, previousSecret].flatMap((hex) =>
      hex === null ? [] : [Buffer.from(hex, 'hex')],
    ),
  }));
}

/** How many attempts of a project are under way at most: fewer than a process can make. */
const PROJECT_PLACES = 4;

const mailsOfHour = (destinationId: SQL) => sql`(
  select count(*) from alert_deliveries sent where sent.destination_id = ${destinationId}
    and sent.last_attempt_at > now() - interval '1 hour')`;

/** How an attempt ended. */
export type AttemptOutcome =
  | { kind: 'delivered'; status: number | null }
  | {
      kind: 'failed';
      /** A status of HTTP or a reply code of SMTP; null without an answer. */
      status: number | null;
      /** Words of ours for users. */
      error: string;
      /** The receiver wants no further alerts. */
      isGone: boolean;
      /** Null after the last attempt. */
      retryAfterSeconds: number | null;
    };

/**
 * Records the end of an attempt. An attempt that another process has made again meanwhile changes
 * nothing. A destination that is gone, or has failed for days, is disabled in the same transaction.
 *
 * @returns whether the destination was disabled
 */
export async function recordAttempt(
  ctx: VerbContext,
  { deliveryId, attempt, projectId, destinationId }: ClaimedDelivery,
  outcome: AttemptOutcome,
): Promise<{ isDisabled: boolean }> {
  const ref = { projectId, destinationId };
  const recorded = await changing(ctx, ref, async (tx) => {
    const written = await tx
      .update(alertDeliveries)
      .set({ ...stateAfter(outcome), claimedUntil: null })
      .where(
        and(
          eq(alertDeliveries.id, deliveryId),
          eq(alertDeliveries.attempts, attempt),
          eq(alertDeliveries.status, 'pending'),
        ),
      )
      .returning({ id: alertDeliveries.id });
    if (written.length === 0) return { kind: 'superseded' as const, reason: null };
    const isFailing = await countFailure(tx, destinationId, outcome.kind === 'failed');
    const isGone = outcome.kind === 'failed' && outcome.isGone;
    const reason = isGone ? ('gone' as const) : isFailing ? ('failing' as const) : null;
    if (reason !== null) {
      await disableAlertDestination({ ...ctx, db: { orm: tx } }, { ...ref, reason });
    }
    return { kind: 'recorded' as const, reason };
  });
  return { isDisabled: recorded.kind === 'recorded' && recorded.reason !== null };
}

function stateAfter(outcome: AttemptOutcome) {
  if (outcome.kind === 'delivered') {
    return { status: 'delivered' as const, lastStatus: outcome.status, lastError: null };
  }
  const { status, error, retryAfterSeconds } = outcome;
  const failure = { lastStatus: status, lastError: error };
  return retryAfterSeconds === null
    ? { ...failure, status: 'failed' as const }
    : { ...failure, nextAttemptAt: sql`now() + make_interval(secs => ${retryAfterSeconds})` };
}

/** @returns whether the destination has failed for too long */
async function countFailure(
  tx: Executor,
  destinationId: string,
  hasFailed: boolean,
): Promise<boolean> {
  const since = alertDestinations.failingSince;
  const [row] = await tx
    .update(alertDestinations)
    .set({ failingSince: hasFailed ? sql`coalesce(${since}, now())` : null })
    .where(eq(alertDestinations.id, destinationId))
    .returning({
      isFailing: sql<boolean>`coalesce(${since} <= now() - make_interval(days => ${FAILING_DAYS}), false)`,
    });
  return row?.isFailing === true;
}
