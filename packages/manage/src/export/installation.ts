import {
  findUserByEmail,
  inSnapshot,
  listCustomerPlans,
  listPolicies,
  type ProjectWithOwner,
  type Subscription,
} from '@ceiba/schema';
import { type CeibaFileText, ITEMS_MAX } from '../apply/schema.ts';
import { type Asker, type Call, listProjectsFor, noProject } from '../operation.ts';
import { badInput, failure, missing } from '../refusal.ts';

/** What is exported: everything, the projects of one owner, or one project. */
export interface ExportChoice {
  projectId?: string | undefined;
  owner?: string | undefined;
}

/**
 * Reads what a file can hold, at one point in time.
 *
 * Everything is in the order of its name, and of the plans only those that the projects are on, so
 * that the same installation gives the same file wherever it was applied.
 *
 * @throws Refusal when there is nothing to export, or the projects have several owners
 */
export function readInstallation(
  { ctx: { db }, by }: Call,
  choice: ExportChoice,
): Promise<CeibaFileText> {
  return inSnapshot(db, async (snapshot) => {
    const { email, projects } = await choose(snapshot, by, choice);
    if (projects.length > ITEMS_MAX) throw tooManyProjects(projects.length);
    const entries: CeibaFileText['projects'] = [];
    const plans = new Map<string, Subscription['plan']>();
    for (const project of projects.sort(byName)) {
      const { subscription } = project;
      if (subscription !== null) plans.set(subscription.plan.name, subscription.plan);
      entries.push({
        name: project.name,
        ...(subscription !== null && { subscription: textOf(subscription) }),
        defaultKeyRateLimitPerMinute: project.defaultKeyRateLimitPerMinute,
        keyPrefix: project.keyPrefix,
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

async function choose(db: Snapshot, by: Asker, { projectId, owner }: ExportChoice) {
  const all = await listProjectsFor(db, by, projectId === undefined ? {} : { projectId });
  if (owner !== undefined) {
    const projects = all.filter(
      ({ ownerEmail }) => ownerEmail.toLowerCase() === owner.toLowerCase(),
    );
    const email = projects[0]?.ownerEmail ?? (await emailOf(db, by, owner));
    if (email === undefined) throw nothingOf(by, owner);
    return { email, projects };
  }
  if (projectId !== undefined && all.length === 0) throw noProject(projectId);
  return { email: onlyOwner(all), projects: all };
}

const nothingOf = (by: Asker, owner: string) =>
  missing(
    by.kind === 'operator'
      ? `There is no account ${owner}.`
      : `There is no project of ${owner} that you may see.`,
    'owner',
  );

/** The operator may export an account without a project. */
const emailOf = async (db: Snapshot, by: Asker, owner: string) =>
  by.kind === 'operator' ? (await findUserByEmail(db, owner))?.email : undefined;

function onlyOwner(projects: readonly ProjectWithOwner[]): string {
  const [email, ...others] = [...new Set(projects.map(({ ownerEmail }) => ownerEmail))].sort();
  if (email === undefined) throw failure('There is no project to export.');
  if (others.length === 0) return email;
  throw badInput(
    `The projects have several owners, and a file has one. Export each with \`owner\`: ${[email, ...others].join(', ')}.`,
    { field: 'owner' },
  );
}

const tooManyProjects = (count: number) =>
  badInput(
    `There are ${count} projects, and a file has at most ${ITEMS_MAX}. Export them one by one, with \`projectId\`.`,
    { field: 'projectId' },
  );

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
