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
  await queueAlertOfChange(tx, entry, shownActor(actor));
}

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
