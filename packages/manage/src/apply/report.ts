import { describeLimits } from '@ceiba/domain';
import type { CustomerPlan, PolicyState, ReplacePoliciesResult } from '@ceiba/schema';
import type { Applied, AppliedCustomerPlans, AppliedProject } from './applied.ts';

/** The result of a run for a user: one line per item, without the new secrets. */
export const reportOf = (applied: Applied): string[] => [
  ...ownerLines(applied),
  ...applied.plans.map(({ plan, outcome }) =>
    line(outcome, `plan ${plan.name}: ${plan.activeKeyCap} active keys, ${describeLimits(plan)}`),
  ),
  ...applied.projects.flatMap(projectLines),
];

const line = (outcome: string, what: string) => `${outcome.padEnd(9)}  ${what}`;

function ownerLines({ owner }: Applied): string[] {
  if (owner === null) return [];
  const role = owner.isAdministrator ? ' (administrator)' : '';
  return [line(owner.outcome, `owner ${owner.email}${role}`)];
}

function projectLines(project: AppliedProject): string[] {
  const { entry, projectId, projectSecret, customerPlans, policies } = project;
  return [
    line(projectSecret === null ? 'unchanged' : 'created', `project ${entry.name} (${projectId})`),
    ...partLines(project.subscription, `subscription: ${subscriptionText(entry)}`),
    ...partLines(
      project.defaultKeyRateLimitPerMinute,
      `default rate of its keys: ${entry.defaultKeyRateLimitPerMinute ?? 'none'}`,
    ),
    ...partLines(project.keyPrefix, `prefix of its new keys: ${entry.keyPrefix}`),
    ...(customerPlans === null ? [] : customerPlanLines(customerPlans)),
    ...(policies === null ? [] : policyLines(policies)),
  ];
}

const partLines = (outcome: string | null, what: string) =>
  outcome === null ? [] : [line(outcome, `  ${what}`)];

/** The subscription as the file sets it. */
function subscriptionText({ subscription }: AppliedProject['entry']): string {
  const end = subscription?.currentPeriodEnd;
  const parts = [
    subscription?.plan && `plan ${subscription.plan}`,
    subscription?.status,
    end === null ? 'no end' : end && `until ${end.toISOString()}`,
  ].filter(Boolean);
  return parts.length === 0 ? 'unchanged' : parts.join(', ');
}

const customerPlanLines = ({ put, removed }: AppliedCustomerPlans): string[] => [
  ...put.flatMap(({ plan, outcome }) => partLines(outcome, customerPlanText(plan))),
  ...removed.flatMap((plan) => partLines('removed', `customer plan ${plan.name}`)),
];

function customerPlanText(plan: CustomerPlan): string {
  const { name, activeKeyCap, scopes } = plan;
  const parts = [
    activeKeyCap !== null && `${activeKeyCap} active keys`,
    describeLimits(plan),
    scopes && `scopes ${listOf(scopes)}`,
  ].filter(Boolean);
  return `customer plan ${name}: ${parts.length === 0 ? 'no limits' : parts.join(', ')}`;
}

const listOf = (labels: readonly string[] | null) => labels?.join(' ') || 'none';

function policyLines({ created, updated, deleted, unchanged }: ReplacePoliciesResult): string[] {
  const isUnchanged = created.length + updated.length + deleted.length === 0;
  const counts = `${created.length} added, ${updated.length} changed, ${deleted.length} removed, ${unchanged} kept`;
  const rule = (sign: string) => (policy: PolicyState) => {
    const terms = sign === '~' || policy.scopes !== null || policy.cost !== 1;
    const text = `${sign} ${policy.method} ${policy.pathPattern}`;
    return line('', `    ${text}${terms ? termsText(policy) : ''}`);
  };
  return [
    ...partLines(isUnchanged ? 'unchanged' : 'updated', `policies: ${counts}`),
    ...created.map(rule('+')),
    ...updated.map(rule('~')),
    ...deleted.map(rule('-')),
  ];
}

/** What a policy has beyond its rule. */
const termsText = ({ scopes, cost }: PolicyState) => `  (scopes ${listOf(scopes)}, cost ${cost})`;
