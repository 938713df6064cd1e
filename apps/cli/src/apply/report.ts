import { describeLimits } from '@ceiba/domain';
import type { PolicyRule, ReplacePoliciesResult } from '@ceiba/schema';
import type { Applied, AppliedProject } from './applied.ts';
import { changesOf } from './changes.ts';

/**
 * The result of a run for a user: one line per item, then the new secrets.
 *
 * @param showsSecrets false leaves them out: the run was dry, or they are in a file
 */
export function reportOf(applied: Applied, showsSecrets: boolean): string[] {
  return [
    ...ownerLines(applied),
    ...applied.plans.map(({ plan, outcome }) =>
      line(outcome, `plan ${plan.name}: ${plan.activeKeyCap} active keys, ${describeLimits(plan)}`),
    ),
    ...applied.projects.flatMap(projectLines),
    ...(showsSecrets ? applied.projects.flatMap(secretLines) : []),
  ];
}

/** The result of a run for a program. */
export const jsonOf = (applied: Applied, showsSecrets: boolean) => ({
  projects: applied.projects.map(({ entry, projectId, projectSecret }) => ({
    name: entry.name,
    projectId,
    projectSecret: showsSecrets ? projectSecret : null,
  })),
  changes: changesOf(applied),
});

const line = (outcome: string, what: string) => `${outcome.padEnd(9)}  ${what}`;

function ownerLines({ owner }: Applied): string[] {
  if (owner === null) return [];
  const role = owner.isAdministrator ? ' (administrator)' : '';
  return [line(owner.outcome, `owner ${owner.email}${role}`)];
}

function projectLines(project: AppliedProject): string[] {
  const { entry, projectId, projectSecret, policies } = project;
  return [
    line(projectSecret === null ? 'unchanged' : 'created', `project ${entry.name} (${projectId})`),
    ...partLines(project.subscription, `subscription: ${subscriptionText(entry)}`),
    ...partLines(
      project.defaultKeyRateLimitPerMinute,
      `default rate of its keys: ${entry.defaultKeyRateLimitPerMinute ?? 'none'}`,
    ),
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
    end && `until ${end.toISOString()}`,
  ].filter(Boolean);
  return parts.length === 0 ? 'unchanged' : parts.join(', ');
}

function policyLines({ created, deleted, unchanged }: ReplacePoliciesResult): string[] {
  const outcome = created.length + deleted.length === 0 ? 'unchanged' : 'updated';
  const counts = `${created.length} added, ${deleted.length} removed, ${unchanged} kept`;
  const rule = (sign: string) => (policy: PolicyRule) =>
    line('', `    ${sign} ${policy.method} ${policy.pathPattern}`);
  return [
    ...partLines(outcome, `policies: ${counts}`),
    ...created.map(rule('+')),
    ...deleted.map(rule('-')),
  ];
}

function secretLines({ entry, projectSecret }: AppliedProject): string[] {
  if (projectSecret === null) return [];
  return [
    '',
    `Project secret of ${entry.name}, shown only once (keep it on the server, never in a browser):`,
    `  ${projectSecret}`,
  ];
}
