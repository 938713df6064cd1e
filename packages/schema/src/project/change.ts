import type { AuditAction, AuditEntry } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { type LockedProject, lockProject } from './lock.ts';

/** Writes the audit row of a change in the log of the project. */
export type Audit = (
  action: AuditAction,
  target: AuditEntry['target'],
  states?: Pick<AuditEntry, 'before' | 'after'>,
) => Promise<void>;

export const auditIn =
  (
    tx: Executor,
    ctx: VerbContext,
    { projectId, ownerId }: { projectId: string; ownerId: string },
  ): Audit =>
  (action, target, states) =>
    writeAudit(tx, ctx, { action, target, projectId, ownerId, ...states });

/** Runs a change of a project, or of what is in it, while its row is locked. */
export function changingProject<Result extends { kind: string }>(
  ctx: VerbContext,
  projectId: string,
  change: (tx: Transactor, project: LockedProject, audit: Audit) => Promise<Result>,
): Promise<Result | { kind: 'not_found' }> {
  return inTransaction<Result | { kind: 'not_found' }>(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    return change(tx, project, auditIn(tx, ctx, { projectId, ...project }));
  });
}
