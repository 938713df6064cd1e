'use server';

import { POLICIES_MAX, parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { createPolicy, deletePolicy, updatePolicy } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction } from '#server/action.ts';
import { type Answer, done, PROJECT_GONE, settle } from '#server/settle.ts';

/** Normalised as it is stored. A pattern that can match no path is refused with the reason. */
const rule = {
  method: z.string().transform((text, issues) => {
    const parsed = parsePolicyMethod(text.trim());
    if (parsed.ok) return parsed.method;
    issues.addIssue({ code: 'custom', message: `The method ${parsed.reason}.` });
    return z.NEVER;
  }),
  pathPattern: z.string().transform((text, issues) => {
    const parsed = parsePathPattern(text.trim());
    if (parsed.ok) return parsed.pattern;
    issues.addIssue({ code: 'custom', message: `The path pattern ${parsed.reason}.` });
    return z.NEVER;
  }),
};

/** The policy as it was saved. */
export interface SavedPolicy {
  method: string;
  pathPattern: string;
}

/** Adds a policy, which applies from the next decision on. */
export const createNewPolicy = projectAction({
  right: 'change_policies',
  input: z.object(rule),
  async run({ ctx, projectId }, rule): Promise<SavedPolicy> {
    const result = await createPolicy(ctx, { projectId, ...rule });
    settle(result, { conflict: TAKEN, too_many: TOO_MANY, not_found: PROJECT_GONE });
    return rule;
  },
});

/** Changes a policy's method or pattern, unless it changed since the page was loaded. */
export const changePolicy = projectAction({
  right: 'change_policies',
  input: z.object({
    policyId: z.guid(),
    ...rule,
    seenMethod: z.string(),
    seenPathPattern: z.string(),
  }),
  async run(
    { ctx, projectId },
    { policyId, seenMethod, seenPathPattern, ...rule },
  ): Promise<SavedPolicy> {
    const seen = { method: seenMethod, pathPattern: seenPathPattern };
    const result = await updatePolicy(ctx, { projectId, policyId, ...rule, seen });
    settle(result, { conflict: TAKEN, changed: CHANGED, not_found: DELETED });
    return rule;
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
