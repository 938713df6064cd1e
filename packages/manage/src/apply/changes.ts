import type { PolicyRule } from '@ceiba/schema';
import { z } from 'zod';
import type { Applied, AppliedProject } from './applied.ts';

/** One thing that a run changes. */
export const change = z.strictObject({
  action: z.enum(['create', 'update', 'remove']),
  kind: z.enum([
    'owner',
    'plan',
    'project',
    'subscription',
    'defaultKeyRateLimit',
    'keyPrefix',
    'customerPlan',
    'policy',
  ]),
  name: z.string().describe('An address, a name, or a method with its pattern.'),
  project: z.string().optional().describe('The project that it belongs to.'),
});
export type Change = z.infer<typeof change>;

/** What a run changes, in the file's order; empty if everything is as the file says. */
export function changesOf({ owner, plans, projects }: Applied): Change[] {
  return [
    ...(owner === null ? [] : changeOf(owner.outcome, { kind: 'owner', name: owner.email })),
    ...plans.flatMap(({ plan, outcome }) => changeOf(outcome, { kind: 'plan', name: plan.name })),
    ...projects.flatMap(projectChanges),
  ];
}

/** What a run removes, as `project: METHOD pattern` or `project: customer plan NAME`. */
export const removalsOf = (applied: Applied): string[] =>
  changesOf(applied)
    .filter(({ action }) => action === 'remove')
    .map(({ kind, project, name }) =>
      kind === 'customerPlan' ? `${project}: customer plan ${name}` : `${project}: ${name}`,
    );

function changeOf(outcome: string | null, what: Omit<Change, 'action'>): Change[] {
  if (outcome === 'created') return [{ action: 'create', ...what }];
  return outcome === 'updated' ? [{ action: 'update', ...what }] : [];
}

function projectChanges(applied: AppliedProject): Change[] {
  const { name } = applied.entry;
  const policy = (action: Change['action']) => (rule: PolicyRule) => ({
    action,
    kind: 'policy' as const,
    name: `${rule.method} ${rule.pathPattern}`,
    project: name,
  });
  const customerPlan = (plan: { name: string }) => ({
    kind: 'customerPlan' as const,
    name: plan.name,
    project: name,
  });
  return [
    ...changeOf(applied.projectSecret === null ? null : 'created', { kind: 'project', name }),
    ...changeOf(applied.subscription, { kind: 'subscription', name, project: name }),
    ...changeOf(applied.defaultKeyRateLimitPerMinute, {
      kind: 'defaultKeyRateLimit',
      name,
      project: name,
    }),
    ...changeOf(applied.keyPrefix, { kind: 'keyPrefix', name, project: name }),
    ...(applied.customerPlans?.put ?? []).flatMap(({ plan, outcome }) =>
      changeOf(outcome, customerPlan(plan)),
    ),
    ...(applied.customerPlans?.removed ?? []).map((plan) => ({
      action: 'remove' as const,
      ...customerPlan(plan),
    })),
    ...(applied.policies?.created ?? []).map(policy('create')),
    ...(applied.policies?.updated ?? []).map(policy('update')),
    ...(applied.policies?.deleted ?? []).map(policy('remove')),
  ];
}
