'use server';

import { POLICIES_MAX, parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { createPolicy, deletePolicy, updatePolicy } from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuse, refuseField, refuseProjectGone } from '#server/action.ts';

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
  async run({ ctx, project }, input): Promise<SavedPolicy> {
    const result = await createPolicy(ctx, { projectId: project.projectId, ...input });
    if (result.kind === 'conflict') refuseField('pathPattern', TAKEN);
    if (result.kind === 'too_many') refuse('limit_reached', TOO_MANY);
    if (result.kind === 'not_found') refuseProjectGone();
    return { method: input.method, pathPattern: input.pathPattern };
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
  async run({ ctx, project }, { seenMethod, seenPathPattern, ...input }): Promise<SavedPolicy> {
    const seen = { method: seenMethod, pathPattern: seenPathPattern };
    const result = await updatePolicy(ctx, { projectId: project.projectId, ...input, seen });
    if (result.kind === 'conflict') refuseField('pathPattern', TAKEN);
    if (result.kind === 'changed') refuse('conflict', CHANGED);
    if (result.kind === 'not_found') refuse('not_found', DELETED, { keepsPage: true });
    return { method: input.method, pathPattern: input.pathPattern };
  },
});

/** Deletes a policy. */
export const removePolicy = projectAction({
  right: 'change_policies',
  input: z.object({ policyId: z.guid() }),
  async run({ ctx, project }, { policyId }): Promise<null> {
    const result = await deletePolicy(ctx, { projectId: project.projectId, policyId });
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return null;
  },
});

const TAKEN = 'This project already has a policy with this method and pattern.';
const TOO_MANY = `A project has at most ${POLICIES_MAX} policies. Delete one first, or join several in one that ends in *.`;
const CHANGED = 'The policy was changed in the meantime. Nothing was saved.';
const GONE = 'The policy was deleted in the meantime. Nothing was changed.';
const DELETED = `${GONE} To have it again, copy it into a new policy.`;
