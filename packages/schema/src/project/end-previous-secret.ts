import { eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { projects } from '../tables.ts';
import { changingProject } from './change.ts';

export interface EndPreviousSecretInput {
  projectId: string;
  /**
   * The creation time of the current secret, for compare-and-swap: after another rotation, the
   * previous secret is a different one, which hosts may still use (rule named-rotation).
   */
  current: Date;
}

/** `unchanged`: no previous secret was valid. */
export type EndPreviousSecretResult = { kind: 'ended' | 'unchanged' | 'conflict' | 'not_found' };

/** Ends the overlap after a rotation: the next decision refuses the previous secret. */
export function endPreviousSecret(
  ctx: VerbContext,
  { projectId, current }: EndPreviousSecretInput,
): Promise<EndPreviousSecretResult> {
  return changingProject(ctx, projectId, async (tx, before, audit) => {
    if (before.secretCreatedAt.getTime() !== current.getTime()) return { kind: 'conflict' };
    if (!before.previousIsValid) return { kind: 'unchanged' };
    await tx
      .update(projects)
      .set({
        previousSecretDigest: null,
        previousSecretExpiresAt: null,
        previousSecretLastUsedAt: null,
      })
      .where(eq(projects.id, projectId));
    const target = { id: projectId, label: before.name };
    await audit('project.end_previous_secret', target, {
      before: { previousSecretExpiresAt: before.previousSecretExpiresAt?.toISOString() ?? null },
      after: { previousSecretExpiresAt: null },
    });
    return { kind: 'ended' };
  });
}
