import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { auditLog, auditOutbox, auditStreams } from '../tables.ts';

/** A row of the audit log as a stream delivers it. */
export interface StreamedEntry {
  /** Its place in the stream. */
  outboxId: number;
  /** Of this delivery: a row whose repeats are counted is delivered again with each change. */
  deliveryId: string;
  auditId: number;
  at: Date;
  actor: {
    kind: string;
    userId: string | null;
    label: string;
    tokenId: string | null;
    tokenName: string | null;
  };
  action: string;
  target: { kind: string; id: string; label: string | null };
  projectId: string | null;
  ownerId: string | null;
  clientAddress: string | null;
  requestId: string | null;
  before: unknown;
  after: unknown;
}

export interface TakeAuditEntriesInput {
  stream: string;
  /** The process that asks; one at a time sends. */
  holder: string;
  /** Longer than the delivery of `most` entries can take. */
  holdSeconds: number;
  /** The places that the receiver has accepted since the last call. */
  delivered: readonly number[];
  most: number;
}

/**
 * Starts a stream, or goes on with it: forgets what was delivered, and returns what is next, the oldest
 * first. Entries wait from the first call on. A process that ends before it reports a delivery leaves it
 * to be made again, with the same id.
 *
 * Rows are forgotten one by one instead of by a position: one that commits late has a lower number than
 * rows that were delivered before, and is delivered after them. A change that follows another has a higher
 * number, so it is never delivered before it.
 *
 * @returns none when nothing waits, or another process sends
 */
export function takeAuditEntries(
  db: { orm: Transactor },
  { stream, holder, holdSeconds, delivered, most }: TakeAuditEntriesInput,
): Promise<StreamedEntry[]> {
  return db.orm.transaction(
    async (tx) => {
      const heldUntil = sql`now() + make_interval(secs => ${holdSeconds})`;
      const held = await tx
        .insert(auditStreams)
        .values({ name: stream, holder, heldUntil })
        .onConflictDoUpdate({
          target: auditStreams.name,
          set: { holder, heldUntil },
          setWhere: sql`${auditStreams.holder} = ${holder} or ${auditStreams.heldUntil} <= now()`,
        })
        .returning({ name: auditStreams.name });
      if (held.length === 0) return [];
      if (delivered.length > 0) {
        await tx
          .delete(auditOutbox)
          .where(and(eq(auditOutbox.stream, stream), inArray(auditOutbox.id, [...delivered])));
      }
      await forgetRemoved(tx, stream, most);
      return readWaiting(tx, stream, most);
    },
    { isolationLevel: 'read committed' },
  );
}

/** Forgets the next entries whose rows the retention has removed. */
async function forgetRemoved(tx: Executor, stream: string, most: number): Promise<void> {
  await tx.execute(sql`
    delete from audit_outbox where id in (
      select o.id from audit_outbox o where o.stream = ${stream} order by o.id limit ${most})
    and not exists (select from audit_log a where a.id = audit_outbox.audit_id)`);
}

async function readWaiting(tx: Executor, stream: string, most: number): Promise<StreamedEntry[]> {
  return tx
    .select({
      outboxId: auditOutbox.id,
      deliveryId: auditOutbox.deliveryId,
      auditId: auditLog.id,
      at: auditLog.at,
      actor: {
        kind: auditLog.actorKind,
        userId: auditLog.actorId,
        label: auditLog.actorLabel,
        tokenId: auditLog.actorTokenId,
        tokenName: auditLog.actorTokenName,
      },
      action: auditLog.action,
      target: { kind: auditLog.targetKind, id: auditLog.targetId, label: auditLog.targetLabel },
      projectId: auditLog.projectId,
      ownerId: auditLog.ownerId,
      clientAddress: auditLog.clientAddress,
      requestId: auditLog.requestId,
      before: auditLog.before,
      after: auditLog.after,
    })
    .from(auditOutbox)
    .innerJoin(auditLog, eq(auditLog.id, auditOutbox.auditId))
    .where(eq(auditOutbox.stream, stream))
    .orderBy(asc(auditOutbox.id))
    .limit(most);
}

/** For so long the entries of a stream wait that no process sends. */
const UNUSED_DAYS = 7;

/** Ends streams that no process has sent for a week, and removes up to `maxRows` of their entries. */
export async function removeUnusedStreams(tx: Executor, maxRows: number): Promise<number> {
  await tx.execute(sql`
    delete from audit_streams where held_until < now() - make_interval(days => ${UNUSED_DAYS})`);
  const { count } = await tx.execute(sql`
    delete from audit_outbox where ctid = any(array(
      select o.ctid from audit_outbox o
      where not exists (select from audit_streams s where s.name = o.stream) limit ${maxRows}))`);
  return count;
}
