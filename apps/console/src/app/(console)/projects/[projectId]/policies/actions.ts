'use server';

import { POLICIES_MAX, parsePathPattern } from '@ceiba/domain';
import {
  createPolicies,
  createPolicy,
  deletePolicy,
  type PolicyRule,
  updatePolicy,
} from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuseField } from '#server/action.ts';
import { type Answer, done, PROJECT_GONE, settle } from '#server/settle.ts';
import { parseRoutes } from '../../../../../lib/routes.ts';
import { typedLabelsOrNone, typedLimitOrNone, typedText } from '../../../../../lib/typed.ts';

const rule = {
  method: typedText,
  pathPattern: typedText,
  scopes: typedLabelsOrNone,
  cost: typedLimitOrNone,
};

/** Adds a policy, which applies from the next decision on, and returns it as it was saved. */
export const createNewPolicy = projectAction({
  right: 'change_policies',
  input: z.object(rule),
  async run({ ctx, projectId }, rule): Promise<PolicyRule> {
    const { method, pathPattern } = settle(await createPolicy(ctx, { projectId, ...rule }), {
      conflict: TAKEN,
      too_many: TOO_MANY,
      not_found: PROJECT_GONE,
    });
    return { method, pathPattern };
  },
});

/** Adds a policy for each route of a text, all or none, and returns how many are new. */
export const addRoutes = projectAction({
  right: 'change_policies',
  input: z.object({ routes: z.string().max(10_000) }),
  async run({ ctx, projectId }, { routes }): Promise<{ added: number }> {
    const { rules, error } = parseRoutes(routes);
    if (error !== undefined) refuseField('routes', error);
    for (const { pathPattern } of rules) {
      const parsed = parsePathPattern(pathPattern);
      if (!parsed.ok) refuseField('routes', `The path ${pathPattern} ${parsed.reason}.`);
    }
    const { policies } = settle(await createPolicies(ctx, { projectId, rules }), {
      too_many: TOO_MANY,
      not_found: PROJECT_GONE,
    });
    return { added: policies.length };
  },
});

/** Changes a policy, unless it changed since the page was loaded. */
export const changePolicy = projectAction({
  right: 'change_policies',
  input: z.object({
    policyId: z.guid(),
    ...rule,
    seenMethod: z.string(),
    seenPathPattern: z.string(),
    seenScopes: typedLabelsOrNone,
    seenCost: typedLimitOrNone,
  }),
  async run(
    { ctx, projectId },
    { policyId, seenMethod, seenPathPattern, seenScopes, seenCost, ...rule },
  ): Promise<PolicyRule> {
    const seen = {
      method: seenMethod,
      pathPattern: seenPathPattern,
      scopes: seenScopes,
      cost: seenCost,
    };
    const result = await updatePolicy(ctx, { projectId, policyId, ...rule, seen });
    const answers = { conflict: TAKEN, changed: CHANGED, not_found: DELETED };
    const { method, pathPattern } = settle(result, answers);
    return { method, pathPattern };
  },
});

/** Deletes a policy. */
export const removePolicy = projectAction({
  right: 'change_policies',
  input: z.object({ policyId: z.guid() }),
  run: async ({ ctx, projectId }, { policyId }) =>
    done(await deletePolicy(ctx, { projectId, policyId }), { not_found: GONE }),
});

const TAKEN = {
  field: 'pathPattern',
  text: 'This project already has a policy with this method and pattern.',
};
const TOO_MANY = `A project has at most ${POLICIES_MAX} policies. Delete one first, or join several in one that ends in *.`;
const CHANGED = 'The policy was changed in the meantime. Nothing was saved.';
const GONE = 'The policy was deleted in the meantime. Nothing was changed.';
const DELETED: Answer = {
  text: `${GONE} To have it again, copy it into a new policy.`,
  keepsPage: true,
};
