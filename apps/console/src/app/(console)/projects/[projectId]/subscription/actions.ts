'use server';

import { SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { type SetSubscriptionInput, setSubscription, type VerbContext } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, projectQuery, refuseField } from '#server/action.ts';
import { done, PROJECT_GONE } from '#server/settle.ts';
import { typedInstant } from '../../../../../lib/typed.ts';
import { findPlanChoices, type PlanChoice } from './plan-choices.ts';

/** Finds plans to choose from. */
export const findPlans = projectQuery({
  right: 'change_subscription',
  input: z.object({ q: z.string().max(1_000) }),
  run: ({ ctx, user }, { q }): Promise<PlanChoice[]> => findPlanChoices(ctx.db, user.userId, q),
});

/** Changes a project's plan; its limits apply from the next decision on. */
export const changePlan = projectAction({
  right: 'change_subscription',
  input: z.object({ planId: z.guid('Choose a plan.') }),
  async run({ ctx, projectId }, { planId }) {
    const result = await setSubscription(ctx, { projectId, planId });
    if (result.kind === 'unchanged') refuseField('planId', 'The project is on this plan already.');
    return done(result, ANSWERS);
  },
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
  input: z.object({ ends: z.enum(['never', 'at']), currentPeriodEnd: typedInstant }),
  run: ({ ctx, projectId }, { ends, currentPeriodEnd }) =>
    change(ctx, { projectId, currentPeriodEnd: ends === 'never' ? null : currentPeriodEnd }),
});

const change = async (ctx: VerbContext, input: SetSubscriptionInput) =>
  done(await setSubscription(ctx, input), ANSWERS);

const ANSWERS = {
  plan_not_found: 'The plan was deleted in the meantime. Nothing was changed; choose another plan.',
  not_found: PROJECT_GONE,
} as const;
