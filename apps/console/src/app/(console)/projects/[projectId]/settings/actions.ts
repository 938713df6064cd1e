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
import { limitSchema, optionalLimitSchema } from '../../../../../lib/limit-schema.ts';

/** Renames a project. Hosts use its ID and are not affected. */
export const renameProject = projectAction({
  input: z.object({ name: displayNameSchema }),
  async run({ ctx, project }, { name }): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, name });
    if (result.kind === 'name_taken') {
      refuseField('name', 'You already have a project with this name. Choose another name.');
    }
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return null;
  },
});

/** Sets the rate of every key without its own, from the next decision on. */
export const setDefaultKeyRate = projectAction({
  input: z.object({ defaultKeyRateLimitPerMinute: optionalLimitSchema }),
  async run({ ctx, project }, values): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, ...values });
    if (result.kind !== 'updated' && result.kind !== 'unchanged') refuse('not_found', GONE);
    return null;
  },
});

/** Sets what the request log records, within seconds. */
export const setRequestLog = projectAction({
  input: z.object({
    loggedAllowsPercent: limitSchema.pipe(z.number().max(100, 'must be at most 100')),
    logsPaths: z
      .literal('yes')
      .optional()
      .transform((value) => value === 'yes'),
  }),
  async run({ ctx, project }, values): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, ...values });
    if (result.kind !== 'updated' && result.kind !== 'unchanged') refuse('not_found', GONE);
    return null;
  },
});

/** Shown once: the secret is in this answer and nowhere else. */
export interface RotatedSecret {
  projectId: string;
  projectSecret: string;
  runtimeUrl: string;
  /** ISO 8601; until then the previous secret is accepted too. */
  previousSecretExpiresAt: string;
}

/** Creates a new secret, if the current one is still the one that the page showed. */
export const rotateSecret = projectAction({
  showsOnce: true,
  input: z.object({
    /** When the secret that the page showed was created: the expected value of the swap. */
    replaces: z.iso.datetime().transform((text) => new Date(text)),
    /** Confirms that a previous secret that is still accepted may end immediately. */
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
        return refuseField(
          'dropsPrevious',
          'Confirm this first: the previous secret ends immediately.',
        );
      case 'not_found':
        return refuse('not_found', GONE);
    }
  },
});

/** Deletes a project and everything in it except its audit log. */
export const removeProject = projectAction({
  input: z.object({ confirmation: z.string() }),
  async run({ ctx, project }, { confirmation }): Promise<null> {
    const result = await deleteProject(ctx, {
      projectId: project.projectId,
      name: confirmation.trim(),
    });
    if (result.kind === 'name_mismatch') {
      refuseField('confirmation', `Type the name of this project: ${legible(project.name)}.`);
    }
    if (result.kind === 'not_found') refuse('not_found', GONE);
    redirect('/projects');
  },
});

const GONE = 'The project was deleted in the meantime. Nothing was changed.';
const ROTATED_ELSEWHERE =
  'The secret was rotated in another window after this page was loaded. Nothing was changed here; the secret shown there is the current one.';
