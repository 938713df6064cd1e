'use server';

import { randomBytes } from 'node:crypto';
import { displayNameSchema } from '@ceiba/contract';
import { mintProjectSecret } from '@ceiba/domain';
import {
  deleteProject,
  endPreviousSecret,
  rotateProjectSecret,
  transferProject,
  updateProject,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import { projectAction, refuse, refuseField, refuseProjectGone } from '#server/action.ts';
import { env } from '../../../../../env.ts';
import { limitSchema, optionalLimitSchema } from '../../../../../lib/limit-schema.ts';

/** Renames a project. Hosts use its ID and are not affected. */
export const renameProject = projectAction({
  right: 'change_settings',
  input: z.object({ name: displayNameSchema }),
  async run({ ctx, project }, { name }): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, name });
    if (result.kind === 'name_taken') {
      refuseField('name', 'You already have a project with this name. Choose another name.');
    }
    if (result.kind === 'not_found') refuseProjectGone();
    return null;
  },
});

/** Sets the rate of every key without its own, from the next decision on. */
export const setDefaultKeyRate = projectAction({
  right: 'change_settings',
  input: z.object({ defaultKeyRateLimitPerMinute: optionalLimitSchema }),
  async run({ ctx, project }, values): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, ...values });
    if (result.kind !== 'updated' && result.kind !== 'unchanged') refuseProjectGone();
    return null;
  },
});

/** Sets what the decision log records, within seconds. */
export const setRequestLog = projectAction({
  right: 'change_settings',
  input: z.object({
    loggedAllowsPercent: limitSchema.pipe(z.number().max(100, 'must be at most 100')),
    logsPaths: z
      .literal('yes')
      .optional()
      .transform((value) => value === 'yes'),
  }),
  async run({ ctx, project }, values): Promise<null> {
    const result = await updateProject(ctx, { projectId: project.projectId, ...values });
    if (result.kind !== 'updated' && result.kind !== 'unchanged') refuseProjectGone();
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
  right: 'change_secret',
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
          runtimeUrl: env().runtimePublicUrl,
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
        return refuseProjectGone();
    }
  },
});

/** Ends the previous secret, if the current one is still the one that the page showed. */
export const endOldSecret = projectAction({
  right: 'change_secret',
  input: z.object({ current: z.iso.datetime().transform((text) => new Date(text)) }),
  async run({ ctx, project }, { current }): Promise<null> {
    const result = await endPreviousSecret(ctx, { projectId: project.projectId, current });
    if (result.kind === 'conflict') refuse('conflict', ROTATED_ELSEWHERE);
    if (result.kind === 'not_found') refuseProjectGone();
    return null;
  },
});

/** Makes a member the owner of the project. */
export const transfer = projectAction({
  right: 'transfer',
  input: z.object({ newOwnerId: z.guid('Choose a member.'), confirmation: z.string() }),
  async run({ ctx, project }, { newOwnerId, confirmation }): Promise<null> {
    const { projectId } = project;
    const name = confirmation.trim();
    const result = await transferProject(ctx, { projectId, newOwnerId, name });
    switch (result.kind) {
      case 'transferred':
        return null;
      case 'name_mismatch':
        return refuseField('confirmation', typeName(project.name));
      case 'name_taken':
        return refuse(
          'conflict',
          'The new owner has a project with this name already. Rename this one first.',
        );
      case 'not_a_member':
        return refuseField('newOwnerId', 'This user is not a member any more.');
      case 'not_found':
        return refuseProjectGone();
    }
  },
});

/** Deletes a project and everything in it except its audit log. */
export const removeProject = projectAction({
  right: 'delete',
  input: z.object({ confirmation: z.string() }),
  async run({ ctx, project }, { confirmation }): Promise<null> {
    const result = await deleteProject(ctx, {
      projectId: project.projectId,
      name: confirmation.trim(),
    });
    if (result.kind === 'name_mismatch') {
      refuseField('confirmation', typeName(project.name));
    }
    if (result.kind === 'not_found') refuseProjectGone();
    redirect('/projects');
  },
});

const typeName = (name: string) => `Type the name of this project: ${legible(name)}.`;
const ROTATED_ELSEWHERE =
  'The secret was rotated in another window after this page was loaded. Nothing was changed here; the secret shown there is the current one.';
