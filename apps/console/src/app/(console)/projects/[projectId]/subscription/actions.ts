'use server';

import { expirySchema, SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { type SetSubscriptionInput, setSubscription, type VerbContext } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuseField } from '#server/action.ts';
import { done, PROJECT_GONE } from '#server/settle.ts';

/** Changes a project's plan; its limits apply from the next decision on. */
export const changePlan = projectAction({
  right: 'change_subscription',
  input: z.object({ planId: z.guid('Choose a plan.') }),
  run: ({ ctx, projectId }, { planId }) => change(ctx, { projectId, planId }),
});

/** Sets the status: active, in trial, past due or canceled. */
export const changeStatus = projectAction({
  right: 'change_subscription',
  input: z.object({ status: z.enum(SUBSCRIPTION_STATUSES) }),
  run: ({ ctx, projectId }, { status }) => change(ctx, { projectId, status }),
});

/** Sets when the subscription ends by itself, or that it never does. */
export const changePeriodEnd = projectAction({
  right: 'change_subscription',
  input: z.object({
    ends: z.enum(['never', 'at']),
    currentPeriodEnd: expirySchema.optional(),
  }),
  async run({ ctx, projectId }, { ends, currentPeriodEnd }) {
    if (ends === 'never') return change(ctx, { projectId, currentPeriodEnd: null });
    if (currentPeriodEnd == null) refuseField('currentPeriodEnd', 'Choose a date and time.');
    return change(ctx, { projectId, currentPeriodEnd: new Date(currentPeriodEnd) });
  },
});

const change = async (ctx: VerbContext, input: SetSubscriptionInput) =>
  done(await setSubscription(ctx, input), {
    plan_not_found:
      'The plan was deleted in the meantime. Nothing was changed; choose another plan.',
    not_found: PROJECT_GONE,
  });
