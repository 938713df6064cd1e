import type { Applied, AppliedProject } from './apply.ts';

/** What a run did, for a person: a line a thing, then each new secret, marked as such. */
export function reportOf(applied: Applied): string[] {
  return [
    ...ownerLines(applied),
    ...applied.plans.map(({ plan, outcome }) =>
      line(
        outcome,
        `plan ${plan.name}: ${plan.activeKeyCap} active keys, ` +
          `${plan.rateLimitPerMinute} requests a minute, ${plan.monthlyQuota} a month`,
      ),
    ),
    ...applied.projects.flatMap(projectLines),
    ...applied.projects.flatMap(secretLines),
  ];
}

/** What a run did, for a program. */
export const jsonOf = ({ projects }: Applied) => ({
  projects: projects.map(({ name, projectId, projectSecret }) => ({
    name,
    projectId,
    projectSecret,
  })),
});

const line = (outcome: string, what: string) => `${outcome.padEnd(9)}  ${what}`;

function ownerLines({ owner }: Applied): string[] {
  if (owner === null) return [];
  const role = owner.isAdministrator ? ' (administrator)' : '';
  return [line(owner.outcome, `owner ${owner.email}${role}`)];
}

function projectLines(project: AppliedProject): string[] {
  const { name, projectId, projectSecret, subscription, policies } = project;
  const rate = project.defaultKeyRateLimitPerMinute;
  return [
    line(projectSecret === null ? 'unchanged' : 'created', `project ${name} (${projectId})`),
    ...(subscription === null ? [] : [line(subscription, `  subscription of ${name}`)]),
    ...(rate === null ? [] : [line(rate, `  default rate of the keys of ${name}`)]),
    ...(policies === null ? [] : [policyLine(name, policies)]),
  ];
}

function policyLine(name: string, counts: NonNullable<AppliedProject['policies']>): string {
  const changed = counts.created + counts.deleted > 0;
  return line(
    changed ? 'updated' : 'unchanged',
    `  policies of ${name}: ${counts.created} added, ${counts.deleted} removed, ${counts.unchanged} kept`,
  );
}

function secretLines({ name, projectSecret }: AppliedProject): string[] {
  if (projectSecret === null) return [];
  return [
    '',
    `Project secret of ${name}, shown this once (keep it on the server, away from browsers):`,
    `  ${projectSecret}`,
  ];
}
