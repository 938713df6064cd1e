import type { Executor } from '../connection/database.ts';
import type { Actor, VerbContext } from '../context.ts';
import { auditLog } from '../tables.ts';
import type { AuditEntry } from './actions.ts';
import { queueAlertOfChange } from './queue-alert.ts';

/**
 * Records a change and its actor, and queues the alert of the change, if it has one. Call it in the
 * transaction of the change.
 */
export async function writeAudit(tx: Executor, ctx: VerbContext, entry: AuditEntry): Promise<void> {
  const actor = actorColumns(ctx.actor);
  await tx.insert(auditLog).values({
    ...actor,
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
  await queueAlertOfChange(tx, entry, actor.actorLabel);
}

function actorColumns(actor: Actor) {
  switch (actor.kind) {
    case 'user':
      return { actorKind: actor.kind, actorId: actor.userId, actorLabel: actor.email };
    case 'project_secret':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'project secret' };
    case 'cli':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'ceiba CLI' };
    case 'system':
      return { actorKind: actor.kind, actorId: null, actorLabel: 'Ceiba' };
  }
}
