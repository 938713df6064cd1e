'use server';

import { SUBSCRIPTION_STATUSES } from '@ceiba/contract';
import { eachLimit } from '@ceiba/domain';
import {
  type CustomerFields,
  type CustomerRef,
  createCustomer,
  listCustomers,
  resumeCustomer,
  searchCustomerPlans,
  suspendCustomer,
  updateCustomer,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import type { Choice } from '#components/combobox.tsx';
import { projectAction, projectQuery } from '#server/action.ts';
import { done, PROJECT_GONE, settle } from '#server/settle.ts';
import {
  changedFields,
  seen,
  typedInstant,
  typedLimit,
  typedLimitOrNone,
  typedMetadata,
  typedText,
} from '../../../../../lib/typed.ts';
import { PLANS_LISTED } from '../plan-detail.ts';
import { choiceOf, customerPlanChoice, newCustomerChoice } from './customer-choice.ts';

/** A plan by its name; none for an empty text. */
const planName = typedText.transform((name) => (name === '' ? null : name));

/** Creates a customer. */
export const createNewCustomer = projectAction({
  right: 'change_customers',
  input: z.object({
    externalId: typedText,
    name: typedText,
    plan: planName,
    billingDay: typedLimit,
  }),
  async run({ ctx, projectId }, input): Promise<{ customerId: string }> {
    const { customer } = settle(await createCustomer(ctx, { projectId, ...input }), {
      exists: TAKEN,
      conflict: TAKEN,
      unknown_plan: PLAN_GONE,
      not_found: PROJECT_GONE,
    });
    return { customerId: customer.customerId };
  },
});

const customerId = z.guid();

/** Sets the texts of a customer. */
export const describeCustomer = projectAction({
  right: 'change_customers',
  input: z.object({
    customerId,
    externalId: typedText,
    name: typedText,
    metadata: typedMetadata,
    seen,
  }),
  run: ({ ctx, projectId }, { customerId, seen, ...texts }) =>
    change(ctx, { projectId, customerId, ...changedFields(texts, seen) }),
});

/** Gives a customer a plan, with the state of its subscription to it, or takes it away. */
export const setCustomerPlan = projectAction({
  right: 'change_customers',
  input: z.object({
    customerId,
    plan: planName,
    subscriptionStatus: z.enum(SUBSCRIPTION_STATUSES).default('active'),
    ends: z.enum(['never', 'at']).default('never'),
    currentPeriodEnd: typedInstant,
    seen,
  }),
  run({ ctx, projectId }, { customerId, seen, plan, ends, currentPeriodEnd, ...state }) {
    const end = ends === 'never' ? null : currentPeriodEnd;
    const given = plan === null ? { plan } : { plan, ...state, currentPeriodEnd: end };
    return change(ctx, { projectId, customerId, ...changedFields(given, seen) });
  },
});

/** Sets or clears a customer's own limits. */
export const setCustomerLimits = projectAction({
  right: 'change_customers',
  input: z.object({ customerId, seen, ...eachLimit(() => typedLimitOrNone) }),
  run: ({ ctx, projectId }, { customerId, seen, ...limits }) =>
    change(ctx, { projectId, customerId, ...changedFields(limits, seen) }),
});

/** Sets the day on which a customer's month begins, which restarts its quota. */
export const setBillingDay = projectAction({
  right: 'change_customers',
  input: z.object({ customerId, billingDay: typedLimit }),
  run: ({ ctx, projectId }, input) => change(ctx, { projectId, ...input }),
});

/** A change that names nothing but the customer. */
const ofCustomer = (verb: typeof suspendCustomer | typeof resumeCustomer) =>
  projectAction({
    right: 'change_customers',
    input: z.object({ customerId }),
    run: async ({ ctx, projectId }, input) =>
      done(await verb(ctx, { projectId, ...input }), { not_found: GONE }),
  });

/** Denies the calls with every key of a customer until it is resumed. */
export const suspend = ofCustomer(suspendCustomer);

/** Ends the suspension of a customer. */
export const resume = ofCustomer(resumeCustomer);

/** The most choices. */
const LISTED = 10;

/** Finds customers for a key, and offers to create one of the text that was typed. */
export const findCustomers = projectQuery({
  right: 'change_customers',
  // In the body of a request, and offered as an external ID: it stays as it was typed.
  input: z.object({ q: z.string().max(1_000).trim() }),
  async run({ ctx: { db }, project: { projectId } }, { q }): Promise<Choice[]> {
    const list = { projectId, limit: LISTED };
    const [exact, found] = await Promise.all([
      listCustomers(db, { ...list, filter: { externalId: q } }),
      listCustomers(db, { ...list, filter: { search: q } }),
    ]);
    const others = found.items.filter(({ externalId }) => externalId !== q);
    const choices = [...exact.items, ...others].slice(0, LISTED).map(choiceOf);
    return exact.items.length > 0 ? choices : [...choices, newCustomerChoice(q)];
  },
});

/** Finds plans for a customer. */
export const findCustomerPlans = projectQuery({
  right: 'change_customers',
  input: z.object({ q: z.string().max(1_000) }),
  async run({ ctx: { db }, project: { projectId } }, { q }): Promise<Choice[]> {
    const found = await searchCustomerPlans(db, { projectId, text: q, limit: PLANS_LISTED });
    return found.map(customerPlanChoice);
  },
});

const change = async (ctx: VerbContext, input: CustomerRef & CustomerFields) =>
  done(await updateCustomer(ctx, input), {
    conflict: TAKEN,
    unknown_plan: PLAN_GONE,
    not_found: GONE,
  });

const TAKEN = {
  field: 'externalId',
  text: 'Another customer of this project has this external ID.',
};
const PLAN_GONE = {
  field: 'plan',
  text: 'The plan was renamed or deleted in the meantime. Reload the page and choose again.',
};
const GONE = 'The customer no longer exists. Nothing was changed.';
