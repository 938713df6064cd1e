import { isNotNull, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Actor, VerbContext } from '../context.ts';
import { auditLog } from '../tables.ts';
import type { AuditEntry } from './actions.ts';
import { queueAlertsOfChanges } from './queue-alert.ts';

/**
 * Records a change and its actor, and queues the alert of the change, if it has one. Call it in the
 * transaction of the change.
 */
export const writeAudit = (tx: Executor, ctx: VerbContext, entry: AuditEntry): Promise<void> =>
  writeAudits(tx, ctx, [entry]);

/** The same of several changes, in one statement; at least one. */
export async function writeAudits(
  tx: Executor,
  ctx: VerbContext,
  entries: readonly AuditEntry[],
): Promise<void> {
  await tx.insert(auditLog).values(entries.map((entry) => rowOf(ctx, entry)));
  await queueAlertsOfChanges(tx, entries, shownActor(actorColumns(ctx.actor)));
}

/** The most network addresses that a row of repeats lists. */
const ADDRESSES_MAX = 20;

/**
 * Records what strangers can repeat: one row per target, action and hour, whose `after` has the number of
 * `attempts` and the network addresses that they came from. The row itself names the latest one.
 */
export async function countAudit(
  tx: Executor,
  ctx: VerbContext,
  entry: Omit<AuditEntry, 'before' | 'after'>,
): Promise<void> {
  const { clientAddress } = ctx;
  const addresses = clientAddress === null ? [] : [clientAddress];
  const known = sql`${auditLog.after} -> 'addresses'`;
  const isListed = sql`${known} @> to_jsonb(excluded.client_address)`;
  const isFull = sql`jsonb_array_length(${known}) >= ${ADDRESSES_MAX}`;
  await tx
    .insert(auditLog)
    .values({
      ...rowOf(ctx, { ...entry, after: { attempts: 1, addresses } }),
      hour: sql`date_trunc('hour', now(), 'UTC')`,
    })
    .onConflictDoUpdate({
      target: [auditLog.targetId, auditLog.action, auditLog.hour],
      targetWhere: isNotNull(auditLog.hour),
      set: {
        clientAddress: sql`excluded.client_address`,
        requestId: sql`excluded.request_id`,
        after: sql`jsonb_build_object(
          'attempts', (${auditLog.after} ->> 'attempts')::int + 1,
          'addresses', case when excluded.client_address is null or ${isListed} or ${isFull}
            then ${known} else (${known}) || to_jsonb(excluded.client_address) end)`,
      },
    });
}

const rowOf = (ctx: VerbContext, entry: AuditEntry) => ({
  ...actorColumns(ctx.actor),
  action: entry.action,
  targetKind: entry.action.split('.')[0] ?? entry.action,
  targetId: entry.target.id,
  targetLabel: entry.target.label ?? null,
  projectId: entry.projectId ?? null,
  ownerId: entry.ownerId ?? null,
  clientAddress: ctx.clientAddress,
  requestId: ctx.requestId,
  before: entry.before ?? null,
  after: entry.after ?? null,
});

/** "ana@example.com", or "ana@example.com with the token CI". */
const shownActor = ({ actorLabel, actorTokenName }: ActorColumns) =>
  actorTokenName === undefined ? actorLabel : `${actorLabel} with the token ${actorTokenName}`;

interface ActorColumns {
  actorKind: Actor['kind'];
  actorId: string | null;
  actorLabel: string;
  actorTokenId?: string;
  actorTokenName?: string;
}

function actorColumns(actor: Actor): ActorColumns {
  switch (actor.kind) {
    case 'user': {
      const { kind, userId, email, token } = actor;
      const byToken = token && { actorTokenId: token.tokenId, actorTokenName: token.name };
      return { actorKind: kind, actorId: userId, actorLabel: email, ...byToken };
    }
    case 'project_secret':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'project secret' };
    case 'cli':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'ceiba CLI' };
    case 'system':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'Ceiba' };
  }
}
