import type { Executor } from '../connection/database.ts';
import type { Actor, VerbContext } from '../context.ts';
import { auditLog } from '../tables.ts';

/** Every change that is audited. */
export const AUDIT_ACTIONS = [
  'project.create',
  'project.update',
  'project.delete',
  'project.rotate_secret',
  'project.transfer',
  'invitation.create',
  'invitation.revoke',
  'invitation.accept',
  'member.set_role',
  'member.remove',
  'member.leave',
  'project.end_previous_secret',
  'subscription.set',
  'policy.create',
  'policy.update',
  'policy.delete',
  'api_key.create',
  'api_key.set_expiry',
  'api_key.set_limits',
  'api_key.update',
  'api_key.disable',
  'api_key.enable',
  'api_key.revoke',
  'api_key.archive',
  'plan.create',
  'plan.update',
  'plan.delete',
  'user.create',
  'user.set_password',
  'user.create_password_reset',
  'user.add_second_factor',
  'user.remove_second_factor',
  'user.add_passkey',
  'user.rename_passkey',
  'user.remove_passkey',
  'user.update',
  'user.delete',
  'user.sign_out_everywhere',
  'user.end_session',
  'retention.set',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  action: AuditAction;
  target: { id: string; label?: string };
  projectId?: string;
  ownerId?: string;
  /** The changed fields, before and after; never a secret or a digest. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** Records a change and its actor. Call it in the transaction of the change. */
export async function writeAudit(tx: Executor, ctx: VerbContext, entry: AuditEntry): Promise<void> {
  await tx.insert(auditLog).values({
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
