import {
  type Database,
  findUserByEmail,
  inSnapshot,
  listCustomerPlans,
  listPolicies,
  listProjectsWithOwner,
  type ProjectWithOwner,
  type Subscription,
} from '@ceiba/schema';
import type { CeibaFileText } from '../apply/schema.ts';
import { badInput, failure } from '../errors.ts';
import { noProject } from '../not-found.ts';

/** What is exported: everything, the projects of one owner, or one project. */
export interface ExportChoice {
  project?: string;
  owner?: string;
}

/**
 * Reads what a file can hold, at one point in time.
 *
 * Everything is in the order of its name, and of the plans only those that the projects are on, so
 * that the same installation gives the same file wherever it was applied.
 *
 * @throws CliError when there is nothing to export, or the projects have several owners
 */
export function readInstallation(db: Database, choice: ExportChoice): Promise<CeibaFileText> {
  return inSnapshot(db, async (snapshot) => {
    const { email, projects } = await choose(snapshot, choice);
    const entries: CeibaFileText['projects'] = [];
    const plans = new Map<string, Subscription['plan']>();
    for (const project of projects.sort(byName)) {
      const { subscription } = project;
      if (subscription !== null) plans.set(subscription.plan.name, subscription.plan);
      entries.push({
        name: project.name,
        ...(subscription !== null && { subscription: textOf(subscription) }),
        defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
        customerPlans: (await listCustomerPlans(snapshot, project.projectId))
          .sort(byName)
          .map(({ planId: _, projectId: _p, customers: _c, scopes, ...plan }) => ({
            ...plan,
            scopes: listOf(scopes),
          })),
        policies: (await listPolicies(snapshot, project.projectId)).map(
          ({ method, pathPattern, scopes, cost }) => ({
            ...{ method, pathPattern, scopes: listOf(scopes), cost },
          }),
        ),
      });
    }
    return {
      owner: { email },
      plans: [...plans.values()].sort(byName).map(({ planId: _, ...plan }) => plan),
      projects: entries,
    };
  });
}

type Snapshot = Parameters<typeof listPolicies>[0];

async function choose(db: Snapshot, { project: projectId, owner }: ExportChoice) {
  if (owner !== undefined) {
    const user = await findUserByEmail(db, owner);
    if (user === null) throw badInput(`There is no account ${owner}.`, { field: '--owner' });
    const { userId: ownerId, email } = user;
    return { email, projects: await listProjectsWithOwner(db, { ownerId }) };
  }
  if (projectId !== undefined) {
    const projects = await listProjectsWithOwner(db, { projectId });
    const [project] = projects;
    if (project === undefined) throw noProject(projectId);
    return { email: project.ownerEmail, projects };
  }
  const projects = await listProjectsWithOwner(db);
  return { email: onlyOwner(projects), projects };
}

function onlyOwner(projects: readonly ProjectWithOwner[]): string {
  const [email, ...others] = [...new Set(projects.map(({ ownerEmail }) => ownerEmail))].sort();
  if (email === undefined) throw failure('There is no project to export.');
  if (others.length === 0) return email;
  throw badInput(
    `The projects have several owners, and a file has one. Export each with --owner: ${[email, ...others].join(', ')}.`,
    { field: '--owner' },
  );
}

const textOf = ({ plan, status, currentPeriodEnd }: Subscription) => ({
  plan: plan.name,
  status,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
});

/** For the type of the file, whose lists can be changed. */
const listOf = (labels: readonly string[] | null) => labels && [...labels];

/** The order of a database depends on its collation. */
const byName = (a: { name: string }, b: { name: string }) =>
  a.name < b.name ? -1 : Number(a.name > b.name);
