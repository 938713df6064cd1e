import {
  type AlertConsent,
  type AlertMailPurpose,
  CONFIRMATION,
  CONFIRMATION_DAYS,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { addressDigest } from '../outbox/consent-of.ts';
import { type AttemptResult, chargeConfirmation } from '../user/sign-in-attempts.ts';
import type { AlertDestinationRef } from './ref.ts';

/*
 * An address gets alerts of a project once it has confirmed that it wants them (ADR 0044). Its answers
 * are kept by digest, so that they outlive the destination and hold no address of someone who refused.
 */

export type ConfirmationRefusal =
  /** No mail can ask. */
  | { kind: 'mail_off' }
  /** The address wants no mail of the project, or refused to be asked. */
  | { kind: 'unsubscribed' }
  | Extract<AttemptResult, { kind: 'limited' }>;

export interface AddressToAsk {
  projectId: string;
  ownerId: string;
  address: string;
  isMailOff: boolean | undefined;
}

/**
 * Whether an address has to be asked before it gets alerts of a project, and may be. To ask is charged to
 * the address, the owner and the network of the user.
 *
 * @param tx the transaction that asks
 */
export async function mayAsk(
  ctx: VerbContext,
  tx: Transactor,
  { projectId, ownerId, address, isMailOff }: AddressToAsk,
): Promise<{ kind: 'confirmed' } | { kind: 'ask' } | ConfirmationRefusal> {
  if (isMailOff) return { kind: 'mail_off' };
  const digest = addressDigest(sql`${address}::text`);
  const [row] = await tx.execute<{ answer: AlertConsent | null; isRefused: boolean }>(sql`
    select (select answer from alert_consents
        where project_id = ${projectId} and address_digest = ${digest}) as answer,
      exists (select from alert_refusals where address_digest = ${digest}) as "isRefused"`);
  if (row?.answer === 'confirmed') return { kind: 'confirmed' };
  if (row?.answer === 'unsubscribed' || row?.isRefused) return { kind: 'unsubscribed' };
  const charged = await chargeConfirmation({ ...ctx, db: { orm: tx } }, { address, ownerId });
  return charged.kind === 'limited' ? charged : { kind: 'ask' };
}

/** Drops the requests that wait: each was charged to the address that the destination had then. */
export async function dropConfirmations(tx: Executor, destinationId: string): Promise<void> {
  await tx.execute(sql`
    update alert_deliveries a set status = 'failed', last_error = 'the address was changed'
    from alert_events e where e.id = a.event_id and e.type = ${CONFIRMATION}
      and a.destination_id = ${destinationId} and a.status = 'pending'`);
}

/** Queues the mail that asks an address. It names nothing that a user chose. */
export const queueConfirmation = (tx: Executor, ref: AlertDestinationRef): Promise<void> =>
  queueFor(tx, ref, { type: CONFIRMATION, data: sql`'{}'::jsonb` });

/** Queues a message for one destination, whatever types it wants. */
export async function queueFor(
  tx: Executor,
  { projectId, destinationId }: AlertDestinationRef,
  { type, data }: { type: string; data: SQL },
): Promise<void> {
  await tx.execute(sql`
    with event as (
      insert into alert_events (project_id, type, subject, data)
      select p.id, ${type}, gen_random_uuid()::text, ${data}
      from projects p where p.id = ${projectId} returning id
    )
    insert into alert_deliveries (event_id, destination_id)
    select id, ${destinationId}::uuid from event`);
}

/** What the link of a mail is about. */
export interface AlertMail {
  purpose: AlertMailPurpose;
  projectId: string;
  projectName: string;
  ownerId: string;
  /** Null once no destination of the project has it. */
  address: string | null;
  answer: AlertConsent | null;
  /** Whether it can still be answered with yes. */
  mayConfirm: boolean;
}

/** @returns null when no mail of the last 60 days has the link, or its project was deleted */
export async function findAlertMail(
  db: { orm: Executor },
  tokenDigest: Buffer,
): Promise<AlertMail | null> {
  const [row] = await db.orm.execute<AlertMail & Record<string, unknown>>(sql`
    select m.purpose, p.id as "projectId", p.name as "projectName", p.owner_id as "ownerId",
      (select d.address from alert_destinations d where d.project_id = p.id and d.kind = 'mail'
        and ${addressDigest(sql`d.address`)} = m.address_digest limit 1) as address,
      (select c.answer from alert_consents c
        where c.project_id = p.id and c.address_digest = m.address_digest) as answer,
      m.purpose = 'alert' or m.sent_at > now() - make_interval(days => ${CONFIRMATION_DAYS})
        as "mayConfirm"
    from alert_mails m join projects p on p.id = m.project_id
    where m.token_digest = ${tokenDigest}`);
  return row ?? null;
}

/** Records that an address wants the alerts of the project. */
export function confirmAlertMail(
  ctx: VerbContext,
  tokenDigest: Buffer,
): Promise<{ kind: 'confirmed' | 'unchanged' | 'expired' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const mail = await findAlertMail({ orm: tx }, tokenDigest);
    if (mail === null) return { kind: 'not_found' };
    if (!mail.mayConfirm) return { kind: 'expired' };
    await tx.execute(sql`delete from alert_refusals where address_digest =
      (select address_digest from alert_mails where token_digest = ${tokenDigest})`);
    return { kind: (await answer(tx, ctx, mail, tokenDigest, 'confirmed')) ?? 'unchanged' };
  });
}

/**
 * Ends the alerts of the project to an address: those that wait are not sent, and it is not asked again.
 * An address that never confirmed is not asked by any project again.
 */
export function unsubscribeAlertMail(
  ctx: VerbContext,
  tokenDigest: Buffer,
): Promise<{ kind: 'unsubscribed' | 'unchanged' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const mail = await findAlertMail({ orm: tx }, tokenDigest);
    if (mail === null) return { kind: 'not_found' };
    const answered = await answer(tx, ctx, mail, tokenDigest, 'unsubscribed');
    if (mail.answer === null) {
      await tx.execute(sql`insert into alert_refusals (address_digest)
        select address_digest from alert_mails where token_digest = ${tokenDigest}
        on conflict do nothing`);
    }
    await tx.execute(sql`
      update alert_deliveries a set status = 'failed', last_error = 'the address unsubscribed'
      from alert_destinations d, alert_mails m
      where m.token_digest = ${tokenDigest} and d.project_id = m.project_id and d.kind = 'mail'
        and ${addressDigest(sql`d.address`)} = m.address_digest
        and a.destination_id = d.id and a.status = 'pending'`);
    return { kind: answered ?? 'unchanged' };
  });
}

/** @returns the answer, or null when it was the same before */
async function answer<Answer extends AlertConsent>(
  tx: Executor,
  ctx: VerbContext,
  { projectId, ownerId, address }: AlertMail,
  tokenDigest: Buffer,
  given: Answer,
): Promise<Answer | null> {
  const changed = await tx.execute(sql`
    insert into alert_consents (project_id, address_digest, answer)
    select project_id, address_digest, ${given} from alert_mails
    where token_digest = ${tokenDigest}
    on conflict (project_id, address_digest) do update set answer = excluded.answer,
      answered_at = now() where alert_consents.answer <> excluded.answer
    returning answer`);
  if (changed.length === 0) return null;
  await writeAudit(tx, ctx, {
    action: given === 'confirmed' ? 'alert_address.confirm' : 'alert_address.unsubscribe',
    target: { id: projectId, label: address ?? 'an address' },
    projectId,
    ownerId,
  });
  return given;
}
