'use server';

import { eachLimit } from '@ceiba/domain';
import { createCustomerPlan, deleteCustomerPlan, updateCustomerPlan } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction } from '#server/action.ts';
import { done, PROJECT_GONE } from '#server/settle.ts';
import { plural } from '../../../../../lib/format.ts';
import {
  changedFields,
  scopesOf,
  seen,
  typedLimitOrNone,
  typedScopes,
  typedText,
} from '../../../../../lib/typed.ts';

const plan = z.object({
  name: typedText,
  activeKeyCap: typedLimitOrNone,
  ...eachLimit(() => typedLimitOrNone),
  ...typedScopes,
});

/** The plan as the verbs take it. */
const planOf = ({ restricts, scopes, ...rest }: z.output<typeof plan>) => ({
  ...rest,
  scopes: scopesOf({ restricts, scopes }),
});

/** Adds a plan for the customers of a project. */
export const addCustomerPlan = projectAction({
  right: 'change_customer_plans',
  input: plan,
  run: async ({ ctx, projectId }, input) =>
    done(await createCustomerPlan(ctx, { projectId, ...planOf(input) }), {
      name_taken: NAME_TAKEN,
      not_found: PROJECT_GONE,
    }),
});

/** Changes a plan for every customer on it, from the next decision on. */
export const editCustomerPlan = projectAction({
  right: 'change_customer_plans',
  input: plan.extend({ planId: z.guid(), seen }),
  async run({ ctx, projectId }, { planId, seen, ...input }): Promise<null> {
    const changes = changedFields(planOf(input), seen);
    return done(await updateCustomerPlan(ctx, { projectId, planId, ...changes }), {
      name_taken: NAME_TAKEN,
      not_found: GONE,
    });
  },
});

/** Deletes a plan that no customer is on. */
export const removeCustomerPlan = projectAction({
  right: 'change_customer_plans',
  input: z.object({ planId: z.guid() }),
  run: async ({ ctx, projectId }, { planId }) =>
    done(await deleteCustomerPlan(ctx, { projectId, planId }), {
      in_use: ({ customers }) =>
        `${plural(customers, 'customer')} got this plan in the meantime. Nothing was changed.`,
      not_found: GONE,
    }),
});

const NAME_TAKEN = {
  field: 'name',
  text: 'This project has a plan with this name already. Choose another name.',
};
const GONE = 'The plan was deleted in the meantime. Nothing was changed.';
