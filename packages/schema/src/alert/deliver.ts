import {
  ALERT_ATTEMPTS_MAX,
  type AlertDestinationKind,
  CONFIRMATION,
  FAILING_DAYS,
  MAILS_PER_ADDRESS_HOUR,
  MAILS_PER_OWNER_HOUR,
  type MintedCredential,
} from '@ceiba/domain';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { takeLock } from '../locks.ts';
import { addressDigest, hasConsent, hasRefused } from '../outbox/consent-of.ts';
import { alertAttempts, alertDeliveries, alertDestinations, alertMails } from '../tables.ts';
import { toMs } from '../time.ts';
import { changing } from './destination.ts';
import type { AlertDestinationRef } from './ref.ts';
import { disableAlertDestination } from './set-disabled.ts';

/** A delivery whose next attempt belongs to the process that claimed it. */
export interface ClaimedDelivery extends AlertDestinationRef {
  /** Of the place that it holds. */
  attemptId: number;
  deliveryId: number;
  /** The number of this attempt, from 1. */
  attempt: number;
  event: { id: string; type: string; createdAt: Date; data: Record<string, unknown> };
  kind: AlertDestinationKind;
  address: string;
  /** The current signing secret first; a previous one while it is valid. Empty for mail. */
  signingSecrets: Buffer[];
  /** The token of a mail's link; null for a webhook. */
  mailToken: string | null;
}

interface ClaimedRow extends Record<string, unknown> {
  attemptId: string;
  deliveryId: string;
  attempt: number;
  eventId: string;
  type: string;
  createdAtMs: number;
  data: Record<string, unknown>;
  projectId: string;
  ownerId: string;
  destinationId: string;
  kind: AlertDestinationKind;
  address: string;
  /** In hexadecimal. */
  secret: string | null;
  previousSecret: string | null;
}

/**
 * Claims deliveries that are due: the oldest of each destination, none of a destination with an
 * attempt under way. An owner whose attempts took least time in the last minute is next, in whichever
 * of their projects, and has at most {@link OWNER_PLACES} under way, and as many more to destinations
 * that failed last: a slow receiver or a long queue delays only its own (ADR 0044). No other process
 * gets what is claimed until `claimSeconds` have passed; after that, an attempt whose process ended is
 * made again, unless it was the last.
 *
 * An address gets at most {@link MAILS_PER_ADDRESS_HOUR} mails in an hour, and an owner sends at most
 * {@link MAILS_PER_OWNER_HOUR}. Only the mail that asks for confirmation goes to an address that has not
 * confirmed.
 *
 * @param most The most to claim.
 * @param claimSeconds Longer than an attempt can take.
 * @param mintLink Makes the token of a mail's link, of which only the digest is stored.
 */
export function claimAlertDeliveries(
  db: { orm: Transactor },
  { most, claimSeconds, mintLink }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  return db.orm.transaction(
    async (tx) => {
      // One process at a time, so that no two of them fill the last place of an owner.
      await takeLock(tx, 'alertClaims');
      const rows = await tx.execute<ClaimedRow>(claim(most, claimSeconds));
      const links = rows.map(({ kind }) => (kind === 'mail' ? mintLink() : null));
      await recordMails(tx, rows, links);
      return rows.map((row, index) => deliveryOf(row, links[index]?.plaintext ?? null));
    },
    { isolationLevel: 'read committed' },
  );
}

export interface ClaimOptions {
  most: number;
  claimSeconds: number;
  mintLink: () => MintedCredential;
}

async function recordMails(
  tx: Executor,
  rows: readonly ClaimedRow[],
  links: readonly (MintedCredential | null)[],
): Promise<void> {
  const mails = rows.flatMap(({ type, ownerId, projectId, address }, index) => {
    const link = links[index];
    if (link == null) return [];
    const purpose = type === CONFIRMATION ? ('confirmation' as const) : ('alert' as const);
    const digest = addressDigest(sql`${address}::text`);
    return [{ tokenDigest: link.digest, purpose, ownerId, projectId, addressDigest: digest }];
  });
  if (mails.length > 0) await tx.insert(alertMails).values(mails);
}

/** How many attempts of an owner are under way at most: fewer than a process can make. */
const OWNER_PLACES = 4;
/** When the time begins in which it counts who was served. */
const SERVED_SINCE = sql`now() - interval '1 minute'`;

const claim = (most: number, claimSeconds: number) => sql`
  with forgotten as (
    delete from alert_attempts where ends_at < ${SERVED_SINCE}
  ), served as materialized (
    select owner_id, sum(extract(epoch from
      least(ends_at, now()) - greatest(started_at, ${SERVED_SINCE})
    )) as seconds
    from alert_attempts where ends_at >= ${SERVED_SINCE} group by owner_id
  ), under_way as materialized (
    -- A destination that was deleted meanwhile counts as slow.
    select a.owner_id, a.destination_id, d.id is null or d.failing_since is not null as is_slow
    from alert_attempts a left join alert_destinations d on d.id = a.destination_id
    where a.ends_at > now()
  ), oldest as (
    select p.owner_id, d.failing_since is not null as is_slow, due.id, due.next_attempt_at,
      case when d.kind = 'mail' then ${addressDigest(sql`d.address`)} end as mail_to
    from alert_destinations d
    join projects p on p.id = d.project_id
    cross join lateral (
      select a.id, a.next_attempt_at from alert_deliveries a
      join alert_events e on e.id = a.event_id
      where a.destination_id = d.id and a.status = 'pending' and a.next_attempt_at <= now()
        and (a.claimed_until is null or a.claimed_until <= now())
        and (${hasConsent(sql`d`)} or (e.type = ${CONFIRMATION} and not ${hasRefused(sql`d`)}))
      order by a.next_attempt_at, a.id limit 1
    ) due
    where d.disabled_at is null and d.id not in (select destination_id from under_way)
  ), permitted as (
    select * from (
      select o.*,
        row_number() over (partition by mail_to order by next_attempt_at, id)
          + ${mailsOfHour(sql`m.address_digest = o.mail_to`)} as mails_to_address,
        row_number() over (partition by owner_id, mail_to is null order by next_attempt_at, id)
          + ${mailsOfHour(sql`m.owner_id = o.owner_id`)} as mails_of_owner
      from oldest o
    ) counted
    where mail_to is null or (mails_to_address <= ${MAILS_PER_ADDRESS_HOUR}
      and mails_of_owner <= ${MAILS_PER_OWNER_HOUR})
  ), ranked as materialized (
    select o.id, o.next_attempt_at,
      row_number() over (partition by o.owner_id, o.is_slow order by o.next_attempt_at, o.id)
        + (select count(*) from under_way u where u.owner_id = o.owner_id and u.is_slow = o.is_slow)
        as place,
      -- Each further attempt of this claim counts as a second, so that owners take turns.
      coalesce(served.seconds, 0) + row_number() over (
        partition by o.owner_id order by o.is_slow, o.next_attempt_at, o.id) as turn
    from permitted o left join served on served.owner_id = o.owner_id
  ), first as materialized (
    select a.id, a.attempts from ranked join alert_deliveries a on a.id = ranked.id
    where ranked.place <= ${OWNER_PLACES}
      -- Checked again on a row that has just been changed.
      and a.status = 'pending' and a.next_attempt_at <= now()
    order by ranked.turn, ranked.next_attempt_at, a.id limit ${most} for update of a skip locked
  ), lost as (
    update alert_deliveries set status = 'failed', claimed_until = null,
      last_error = coalesce(last_error, 'the last attempt did not end')
    where id in (select id from first where attempts >= ${ALERT_ATTEMPTS_MAX})
  ), claimed as (
    update alert_deliveries a set attempts = a.attempts + 1, last_attempt_at = now(),
      claimed_until = now() + make_interval(secs => ${claimSeconds})
    where a.id in (select id from first where attempts < ${ALERT_ATTEMPTS_MAX})
    returning a.id, a.attempts, a.event_id, a.destination_id, a.claimed_until
  ), begun as (
    insert into alert_attempts (owner_id, destination_id, ends_at)
    select p.owner_id, d.id, claimed.claimed_until
    from claimed join alert_destinations d on d.id = claimed.destination_id
    join projects p on p.id = d.project_id
    returning id, owner_id, destination_id
  )
  select begun.id as "attemptId", claimed.id as "deliveryId", claimed.attempts as attempt,
    e.id as "eventId", e.type, ${toMs(sql`e.created_at`)} as "createdAtMs", e.data,
    e.project_id as "projectId", begun.owner_id as "ownerId", d.id as "destinationId", d.kind, d.address,
    encode(d.signing_secret, 'hex') as secret,
    case when d.previous_secret_expires_at > now() then encode(d.previous_secret, 'hex') end
      as "previousSecret"
  from claimed join begun on begun.destination_id = claimed.destination_id
  join alert_events e on e.id = claimed.event_id
  join alert_destinations d on d.id = claimed.destination_id`;

const deliveryOf = (row: ClaimedRow, mailToken: string | null): ClaimedDelivery => ({
  attemptId: Number(row.attemptId),
  deliveryId: Number(row.deliveryId),
  projectId: row.projectId,
  destinationId: row.destinationId,
  attempt: row.attempt,
  event: { id: row.eventId, type: row.type, createdAt: new Date(row.createdAtMs), data: row.data },
  kind: row.kind,
  address: row.address,
  signingSecrets: [row.secret, row.previousSecret].flatMap((hex) =>
    hex === null ? [] : [Buffer.from(hex, 'hex')],
  ),
  mailToken,
});

const mailsOfHour = (which: SQL) => sql`(
  select count(*) from alert_mails m where ${which} and m.sent_at > now() - interval '1 hour')`;

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
 * Records the end of an attempt, and frees its place. An attempt that another process has made again meanwhile changes
 * nothing. A destination that is gone, or has failed for days, is disabled in the same transaction. What an
 * address answers that the destination had before says nothing of it: a failed alert is due again at once.
 *
 * @returns whether the destination was disabled
 */
export function recordAttempt(
  ctx: VerbContext,
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
): Promise<{ isDisabled: boolean }> {
  return inTransaction(ctx, async (tx) => {
    const inside = { ...ctx, db: { orm: tx } };
    const { kind } = await changing(inside, delivery, (change, { address }) =>
      recordOutcome({ ...ctx, db: { orm: change } }, delivery, outcome, address),
    );
    // Last, and also if the destination was deleted: its owner waited for this attempt like any other.
    await tx
      .update(alertAttempts)
      .set({ endsAt: sql`now()` })
      .where(eq(alertAttempts.id, delivery.attemptId));
    return { isDisabled: kind === 'disabled' };
  });
}

async function recordOutcome(
  ctx: VerbContext,
  { deliveryId, attempt, projectId, destinationId, address }: ClaimedDelivery,
  outcome: AttemptOutcome,
  addressNow: string,
): Promise<{ kind: 'superseded' | 'recorded' | 'disabled' }> {
  const { orm } = ctx.db;
  const hasMoved = address !== addressNow;
  const recorded =
    hasMoved && outcome.kind === 'failed' ? { ...outcome, retryAfterSeconds: 0 } : outcome;
  const written = await orm
    .update(alertDeliveries)
    .set({ ...stateAfter(recorded), claimedUntil: null })
    .where(
      and(
        eq(alertDeliveries.id, deliveryId),
        eq(alertDeliveries.attempts, attempt),
        eq(alertDeliveries.status, 'pending'),
      ),
    )
    .returning({ id: alertDeliveries.id });
  if (written.length === 0) return { kind: 'superseded' };
  if (hasMoved) return { kind: 'recorded' };
  const isFailing = await countFailure(orm, destinationId, outcome.kind === 'failed');
  const isGone = outcome.kind === 'failed' && outcome.isGone;
  if (!isGone && !isFailing) return { kind: 'recorded' };
  const reason = isGone ? 'gone' : 'failing';
  await disableAlertDestination(ctx, { projectId, destinationId, reason });
  return { kind: 'disabled' };
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
