'use server';

import { randomBytes } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import {
  deleteProject,
  endPreviousSecret,
  rotateProjectSecret,
  transferProject,
  type UpdateProjectInput,
  updateProject,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { projectAction } from '#server/action.ts';
import { done, PROJECT_GONE, PROJECT_NAME_TAKEN, settle } from '#server/settle.ts';
import { env } from '../../../../../env.ts';
import {
  changedFields,
  seen,
  typedLimit,
  typedLimitOrNone,
  typedText,
} from '../../../../../lib/typed.ts';

/** A change of what a project is set to. */
const setting = <Input extends z.ZodType<Omit<UpdateProjectInput, 'projectId'>>>(input: Input) =>
  projectAction({
    right: 'change_settings',
    input,
    run: async ({ ctx, projectId }, values) =>
      done(await updateProject(ctx, { projectId, ...values }), NOT_UPDATED),
  });

/** Renames a project. Hosts use its ID and are not affected. */
export const renameProject = setting(z.object({ name: typedText }));

/** Sets the rate of every key without its own, from the next decision on. */
export const setDefaultKeyRate = setting(
  z.object({ defaultKeyRateLimitPerMinute: typedLimitOrNone }),
);

/** Sets what new keys begin with; those that exist keep theirs. */
export const setKeyPrefix = setting(
  z.object({ keyPrefix: typedText.transform((text) => text.trim()) }),
);

/** Sets what the decision log records, within seconds. */
export const setRequestLog = setting(
  z
    .object({
      loggedAllowsPercent: typedLimit,
      logsPaths: z
        .literal('yes')
        .optional()
        .transform((value) => value === 'yes'),
      seen,
    })
    .transform(({ seen, ...settings }) => changedFields(settings, seen)),
);

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
  async run({ ctx, projectId }, { replaces, ...input }): Promise<RotatedSecret> {
    const secret = mintProjectSecret(randomBytes);
    const dropsPrevious = input.dropsPrevious === 'yes';
    const swap = { projectId, secret, replaces, dropsPrevious };
    const { previousSecretExpiresAt } = settle(await rotateProjectSecret(ctx, swap), {
      conflict: ROTATED_ELSEWHERE,
      previous_still_valid: {
        field: 'dropsPrevious',
        text: 'Confirm this first: the previous secret ends immediately.',
      },
      not_found: PROJECT_GONE,
    });
    return {
      projectId,
      projectSecret: secret.plaintext,
      runtimeUrl: env().runtimePublicUrl,
      previousSecretExpiresAt: previousSecretExpiresAt.toISOString(),
    };
  },
});

/** Ends the previous secret, if the current one is still the one that the page showed. */
export const endOldSecret = projectAction({
  right: 'change_secret',
  input: z.object({ current: z.iso.datetime().transform((text) => new Date(text)) }),
  run: async ({ ctx, projectId }, { current }) =>
    done(await endPreviousSecret(ctx, { projectId, current }), {
      conflict: ROTATED_ELSEWHERE,
      not_found: PROJECT_GONE,
    }),
});

/** Makes a member the owner of the project. */
export const transfer = projectAction({
  right: 'transfer',
  input: z.object({ newOwnerId: z.guid('Choose a member.'), confirmation: z.string() }),
  run: async ({ ctx, projectId }, { newOwnerId, confirmation }) =>
    done(await transferProject(ctx, { projectId, newOwnerId, name: confirmation.trim() }), {
      name_mismatch: NAME_DIFFERS,
      name_taken: 'The new owner has a project with this name already. Rename this one first.',
      not_a_member: { field: 'newOwnerId', text: 'This user is not a member any more.' },
      not_found: PROJECT_GONE,
    }),
});

/** Deletes a project and everything in it except its audit log. */
export const removeProject = projectAction({
  right: 'delete',
  input: z.object({ confirmation: z.string() }),
  async run({ ctx, projectId }, { confirmation }): Promise<null> {
    const result = await deleteProject(ctx, { projectId, name: confirmation.trim() });
    settle(result, { name_mismatch: NAME_DIFFERS, not_found: PROJECT_GONE });
    redirect('/projects');
  },
});

const NOT_UPDATED = { name_taken: PROJECT_NAME_TAKEN, not_found: PROJECT_GONE };

const NAME_DIFFERS = {
  field: 'confirmation',
  text: 'Type the name of this project. If it is the one on this page, the project was renamed: reload the page.',
};

const ROTATED_ELSEWHERE =
  'The secret was rotated in another window after this page was loaded. Nothing was changed here; the secret shown there is the current one.';
