'use server';

import { randomBytes } from 'node:crypto';
import { displayNameSchema } from '@ceiba/contract';
import { mintProjectSecret } from '@ceiba/domain';
import { deleteProject, rotateProjectSecret, updateProject } from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import { projectAction, refuse, refuseField } from '#server/action.ts';
import { env } from '../../../../../env.ts';
import { optionalLimitSchema } from '../../../../../lib/limit-schema.ts';

/** Gives a project another name; hosts know it by its ID and notice nothing. */
export const renameProject = projectAction({
  input: z.object({ name: displayNameSchema }),
  async run({ ctx, project }, { name }): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, name });
    if (result.kind === 'name_taken') {
      refuseField('name', 'You have a project of that name already. Choose another name.');
    }
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return null;
  },
});

/** Sets the rate of every key that has none of its own, from the next decision on. */
export const setDefaultKeyRate = projectAction({
  input: z.object({ defaultKeyRateLimitPerMinute: optionalLimitSchema }),
  async run({ ctx, project }, values): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, ...values });
    if (result.kind !== 'updated' && result.kind !== 'unchanged') refuse('not_found', GONE);
    return null;
  },
});

/** What the page shows once. The secret is in this answer and nowhere else. */
export interface RotatedSecret {
  projectId: string;
  projectSecret: string;
  runtimeUrl: string;
  /** ISO 8601; until then the one before is accepted too. */
  previousSecretExpiresAt: string;
}

/** Makes a new secret. It replaces the one that the page showed, or none. */
export const rotateSecret = projectAction({
  showsOnce: true,
  input: z.object({
    /** When the secret was made that the page showed: the compare of the swap. */
    replaces: z.iso.datetime().transform((text) => new Date(text)),
    /** Where an older one is still accepted: that it may end at once. */
    dropsPrevious: z.literal('yes').optional(),
  }),
  async run({ ctx, project }, { replaces, dropsPrevious }): Promise<RotatedSecret> {
    const { projectId } = project;
    const secret = mintProjectSecret(randomBytes);
    const result = await rotateProjectSecret(ctx, {
      projectId,
      secret,
      replaces,
      dropsPrevious: dropsPrevious === 'yes',
    });
    switch (result.kind) {
      case 'rotated':
        return {
          projectId,
          projectSecret: secret.plaintext,
          runtimeUrl: env().runtimeUrl,
          previousSecretExpiresAt: result.previousSecretExpiresAt.toISOString(),
        };
      case 'conflict':
        return refuse('conflict', ROTATED_ELSEWHERE);
      case 'previous_still_valid':
        return refuseField('dropsPrevious', 'Say that the older secret may end now.');
      case 'not_found':
        return refuse('not_found', GONE);
    }
  },
});

/** Deletes a project with all that belongs to it; its audit log stays. */
export const removeProject = projectAction({
  input: z.object({ confirmation: z.string() }),
  async run({ ctx, project }, { confirmation }): Promise<null> {
    const result = await deleteProject(ctx, {
      projectId: project.projectId,
      name: confirmation.trim(),
    });
    if (result.kind === 'name_mismatch') {
      refuseField('confirmation', `The name of this project is ${legible(project.name)}.`);
    }
    if (result.kind === 'not_found') refuse('not_found', GONE);
    redirect('/projects');
  },
});

const GONE = 'The project was deleted in the meantime. Nothing was changed.';
const ROTATED_ELSEWHERE =
  'The secret was rotated after this page was loaded, in another tab or by another user. This request changed nothing: the secret shown there is the current one. The page now shows the current state.';
