'use server';

import { expirySchema, SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { type SetSubscriptionInput, setSubscription, type VerbContext } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuse, refuseField, refuseProjectGone } from '#server/action.ts';

/** Changes a project's plan; its limits apply from the next decision on. */
export const changePlan = projectAction({
  right: 'change_subscription',
  input: z.object({ planId: z.guid('Choose a plan.') }),
  run: ({ ctx, project }, { planId }) => change(ctx, { projectId: project.projectId, planId }),
});

/** Sets the status: active, in trial, past due or canceled. */
export const changeStatus = projectAction({
  right: 'change_subscription',
  input: z.object({ status: z.enum(SUBSCRIPTION_STATUSES) }),
  run: ({ ctx, project }, { status }) => change(ctx, { projectId: project.projectId, status }),
});

/** Sets when the subscription ends by itself, or that it never does. */
export const changePeriodEnd = projectAction({
  right: 'change_subscription',
  input: z.object({
    ends: z.enum(['never', 'at']),
    currentPeriodEnd: expirySchema.optional(),
  }),
  async run({ ctx, project }, { ends, currentPeriodEnd }) {
    const { projectId } = project;
    if (ends === 'never') return change(ctx, { projectId, currentPeriodEnd: null });
    if (currentPeriodEnd == null) refuseField('currentPeriodEnd', 'Choose a date and time.');
    return change(ctx, { projectId, currentPeriodEnd: new Date(currentPeriodEnd) });
  },
});

async function change(ctx: VerbContext, input: SetSubscriptionInput): Promise<null> {
  const result = await setSubscription(ctx, input);
  if (result.kind === 'plan_not_found') refuse('conflict', PLAN_GONE);
  if (result.kind === 'not_found') refuseProjectGone();
  return null;
}

const PLAN_GONE = 'The plan was deleted in the meantime. Nothing was changed; choose another plan.';
