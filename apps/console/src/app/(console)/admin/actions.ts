'use server';

import { eachLimit } from '@ceiba/domain';
import {
  createPlan,
  deletePlan,
  deleteUser,
  findUserById,
  removeSecondFactors,
  setAdministrator,
  setRetention,
  setSecondFactorRule,
  updatePlan,
} from '@ceiba/schema';
import { z } from 'zod';
import { createResetLink, notify } from '#server/accounts/index.ts';
import {
  administratorAccountAction,
  administratorAction,
  refuse,
  refuseField,
} from '#server/action.ts';
import { done, settle } from '#server/settle.ts';
import { plural } from '../../../lib/format.ts';
import {
  changedFields,
  seen,
  typedLimit,
  typedLimitOrNone,
  typedText,
} from '../../../lib/typed.ts';
import { proveSelf } from '../account/prove-self.ts';

const plan = {
  name: typedText,
  activeKeyCap: typedLimit,
  ...eachLimit(() => typedLimit),
  dailyQuota: typedLimitOrNone,
};

/** Adds a plan that every project can choose. */
export const addPlan = administratorAction({
  input: z.object(plan),
  run: async ({ ctx }, input) => done(await createPlan(ctx, input), { name_taken: NAME_TAKEN }),
});

/** Changes a plan for every project on it, from the next decision on. */
export const editPlan = administratorAction({
  input: z.object({ planId: z.guid(), seen, ...plan }),
  run: async ({ ctx }, { planId, seen, ...input }) =>
    done(await updatePlan(ctx, { planId, ...changedFields(input, seen) }), {
      name_taken: NAME_TAKEN,
      default_plan: {
        field: 'name',
        text: 'New projects start on this plan, so it cannot be renamed.',
      },
      not_found: GONE,
    }),
});

/** Deletes a plan that no project is on. */
export const removePlan = administratorAction({
  input: z.object({ planId: z.guid() }),
  run: async ({ ctx }, { planId }) =>
    done(await deletePlan(ctx, { planId }), {
      in_use: ({ projects }) =>
        `${plural(projects, 'project')} chose this plan in the meantime. Nothing was changed.`,
      default_plan: 'New projects start on this plan, so it cannot be deleted.',
      not_found: GONE,
    }),
});

/** A stolen session of an administrator must not open other accounts, so these ask for the password. */
const currentPassword = z.string().max(1024).optional();

/** Makes a user an administrator, or removes that role. */
export const changeAdministrator = administratorAccountAction({
  input: z.object({ userId: z.guid(), isAdministrator: z.enum(['yes', 'no']), currentPassword }),
  async run(context, { userId, ...input }): Promise<null> {
    await proveSelf(context, input.currentPassword);
    const isAdministrator = input.isAdministrator === 'yes';
    const result = await context.inDatabase((ctx) =>
      setAdministrator(ctx, { userId, isAdministrator }),
    );
    return done(result, { last_administrator: LAST_ADMINISTRATOR, not_found: GONE });
  },
});

/** Deletes an account that owns no project. */
export const removeUser = administratorAccountAction({
  input: z.object({ userId: z.guid(), confirmation: z.string(), currentPassword }),
  async run(context, { userId, confirmation, ...input }): Promise<null> {
    const { inDatabase } = context;
    const user = await inDatabase(({ db }) => findUserById(db, userId));
    if (user === null) refuse('not_found', GONE);
    if (confirmation.trim() !== user.email) {
      refuseField('confirmation', `Type the e-mail address of this account: ${user.email}.`);
    }
    await proveSelf(context, input.currentPassword);
    const result = await inDatabase((ctx) => deleteUser(ctx, { userId }));
    return done(result, {
      owns_projects: ({ projects }) =>
        `The account owns ${plural(projects, 'project')}. The owner has to delete or transfer them first.`,
      last_administrator: LAST_ADMINISTRATOR,
      not_found: GONE,
    });
  },
});

/** Shown once: the link is in this answer and nowhere else. */
export interface NewResetLink {
  link: string;
  email: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Creates a link with which a user sets a new password. The administrator never sees the password.
 * Not for the own account, where the current password has to prove the user.
 */
export const createPasswordLink = administratorAccountAction({
  showsOnce: true,
  input: z.object({ userId: z.guid(), currentPassword }),
  async run(context, { userId, ...input }): Promise<NewResetLink> {
    const { inDatabase, user } = context;
    if (userId === user.userId) refuse('conflict', OWN_PASSWORD);
    await proveSelf(context, input.currentPassword);
    const target = await inDatabase(({ db }) => findUserById(db, userId));
    if (target === null) refuse('not_found', GONE);
    const { email } = target;
    const result = await inDatabase((ctx) =>
      createResetLink(ctx, { userId, email }, 'administrator'),
    );
    const { link, expiresAt } = settle(result, {
      not_found: GONE,
      no_password: 'This user signs in through a provider and has no password to reset.',
    });
    notify(email, 'reset_link_created');
    return { link, email, expiresAt: expiresAt.toISOString() };
  },
});

/** Removes the authenticator app, the recovery codes, the passkeys and the access tokens of a user who lost the device. */
export const removeFactors = administratorAccountAction({
  input: z.object({ userId: z.guid(), currentPassword }),
  async run(context, { userId, ...input }): Promise<null> {
    const { inDatabase, user } = context;
    if (userId === user.userId) refuse('conflict', OWN_FACTORS);
    await proveSelf(context, input.currentPassword);
    const target = await inDatabase(({ db }) => findUserById(db, userId));
    const result = await inDatabase((ctx) => removeSecondFactors(ctx, { userId }));
    if (result.kind === 'not_found' || target === null) refuse('not_found', GONE);
    if (result.kind === 'removed') notify(target.email, 'second_factor_removed');
    return null;
  },
});

const OWN_PASSWORD = 'Change your own password on your account page.';
const OWN_FACTORS = 'Change how you sign in yourself on your account page.';

/** Sets how long usage, the audit log and recorded requests are kept. */
export const saveRetention = administratorAction({
  input: z.object({
    usageDays: typedLimitOrNone,
    auditDays: typedLimitOrNone,
    decisionDays: typedLimit,
    seen,
  }),
  run: async ({ ctx }, { seen, ...days }) =>
    done(await setRetention(ctx, changedFields(days, seen)), {}),
});

/** Requires a second factor of each account, or no longer. */
export const saveSecondFactorRule = administratorAccountAction({
  input: z.object({ isRequired: z.enum(['yes', 'no']), currentPassword }),
  async run(context, input): Promise<null> {
    await proveSelf(context, input.currentPassword);
    const isRequired = input.isRequired === 'yes';
    const result = await context.inDatabase((ctx) => setSecondFactorRule(ctx, { isRequired }));
    return done(result, { no_second_factor: OWN_FIRST });
  },
});

const OWN_FIRST =
  'Your own account has no second factor, and you would be locked out of this page. Set one up on your account page first.';
const NAME_TAKEN = {
  field: 'name',
  text: 'There is a plan with this name already. Choose another name.',
};
const GONE = 'It was deleted in the meantime. Nothing was changed.';
const LAST_ADMINISTRATOR =
  'This is the only administrator. Make another user an administrator first.';
