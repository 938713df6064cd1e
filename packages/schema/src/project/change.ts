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

type Change<Locked, Result> = (tx: Transactor, project: Locked, audit: Audit) => Promise<Result>;

/** Runs a change of a project, or of what is in it, while its row is locked. */
export const changingProject = <Result extends { kind: string }>(
  ctx: VerbContext,
  projectId: string,
  change: Change<LockedProject, Result>,
) => changingLocked(ctx, projectId, lockProject, change);

/** As {@link changingProject}, with a lock that reads more of the project. */
export function changingLocked<Result extends { kind: string }, Locked extends { ownerId: string }>(
  ctx: VerbContext,
  projectId: string,
  lock: (tx: Executor, projectId: string) => Promise<Locked | undefined>,
  change: Change<Locked, Result>,
): Promise<Result | { kind: 'not_found' }> {
  return inTransaction<Result | { kind: 'not_found' }>(ctx, async (tx) => {
    const project = await lock(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    const { ownerId } = project;
    return change(tx, project, (action, target, states) =>
      writeAudit(tx, ctx, { action, target, projectId, ownerId, ...states }),
    );
  });
}
