import type { MintedCredential } from '@ceiba/domain';
import { SECRET_OVERLAP_HOURS } from '@ceiba/domain';
import { eq, sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { projects } from '../tables.ts';
import { changingProject } from './change.ts';

export interface RotateSecretInput {
  projectId: string;
  /** The caller shows its plaintext once. */
  secret: MintedCredential;
  /** The creation time of the secret to replace, for compare-and-swap. */
  replaces: Date;
  /** Permits a previous secret that is still valid to stop working at once. */
  dropsPrevious: boolean;
}

export type RotateSecretResult =
  | { kind: 'rotated'; previousSecretExpiresAt: Date }
  | { kind: 'previous_still_valid'; previousSecretExpiresAt: Date }
  | { kind: 'conflict' }
  | { kind: 'not_found' };

/**
 * Makes a new secret current. The one that it replaces stays valid for 24 hours; an older one stops
 * working. A retry after a lost reply is a conflict, because it names a secret that is no longer
 * current; so it cannot invalidate the secret that hosts still use (rule named-rotation).
 */
export function rotateProjectSecret(
  ctx: VerbContext,
  input: RotateSecretInput,
): Promise<RotateSecretResult> {
  const { projectId } = input;
  return changingProject(ctx, projectId, async (tx, before, audit) => {
    if (before.secretCreatedAt.getTime() !== input.replaces.getTime()) return { kind: 'conflict' };
    if (before.previousIsValid && before.previousSecretExpiresAt !== null && !input.dropsPrevious) {
      return {
        kind: 'previous_still_valid',
        previousSecretExpiresAt: before.previousSecretExpiresAt,
      };
    }
    const [after] = await tx
      .update(projects)
      .set({
        secretDigest: input.secret.digest,
        secretCreatedAt: sql`greatest(clock_timestamp(), ${projects.secretCreatedAt} + interval '1 ms')`,
        previousSecretDigest: sql`${projects.secretDigest}`,
        previousSecretExpiresAt: sql`now() + make_interval(hours => ${SECRET_OVERLAP_HOURS})`,
        previousSecretLastUsedAt: null,
      })
      .where(eq(projects.id, projectId))
      .returning({
        secretCreatedAt: projects.secretCreatedAt,
        previousSecretExpiresAt: projects.previousSecretExpiresAt,
      });
    if (after?.previousSecretExpiresAt == null) throw new Error('a locked project disappeared');
    const target = { id: projectId, label: before.name };
    await audit('project.rotate_secret', target, {
      before: { secretCreatedAt: before.secretCreatedAt.toISOString() },
      after: {
        secretCreatedAt: after.secretCreatedAt.toISOString(),
        previousSecretExpiresAt: after.previousSecretExpiresAt.toISOString(),
      },
    });
    return { kind: 'rotated', previousSecretExpiresAt: after.previousSecretExpiresAt };
  });
}
