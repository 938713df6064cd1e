import { createHash } from 'node:crypto';
import { mintProjectSecret, POLICIES_MAX, type ProjectRight } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  allOrNothing,
  createProject,
  createUser,
  deleteCustomerPlan,
  dryRun,
  findPlanByName,
  findProjectByName,
  findUserByEmail,
  listCustomerPlans,
  listPlans,
  type Plan,
  putCustomerPlan,
  putPlan,
  type ReplacePoliciesResult,
  RightRefusedError,
  replacePolicies,
  requireRight,
  setSubscription,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { type Call, changing, findProject } from '../operation.ts';
import { checkedPassword } from '../password.ts';
import { badInput, conflict, failure, forbidden, missing } from '../refusal.ts';
import type { Applied, AppliedCustomerPlans, AppliedProject, Outcome } from './applied.ts';
import { removalsOf } from './changes.ts';
import type { Problem } from './cross-checks.ts';
import type { CheckedFile } from './read.ts';
import type { CeibaFile, ProjectEntry } from './schema.ts';

export interface ApplyOptions {
  /** Computes the result and changes nothing. */
  isDryRun: boolean;
  /** Whether policies and customer plans may be removed: all, none, or those of this digest. */
  prune: boolean | string;
  /** Whether a new secret reaches someone: otherwise no project is created. */
  canShowSecrets: boolean;
}

/** The file removes policies or customer plans, and that was not confirmed. Nothing was changed. */
const unconfirmed = (removals: readonly string[]) =>
  conflict(
    'The file does not have these, so they would be removed. Nothing was changed:\n' +
      `${listed(removals)}\nAdd them to the file, or add \`prune\` to remove them.`,
    {
      code: 'would_remove_policies',
      field: 'prune',
      details: { removals, removalsDigest: digestOf(removals) },
    },
  );

/** One line per removal. */
export const listed = (removals: readonly string[]) =>
  removals.map((removal) => `  ${removal}`).join('\n');

const digestOf = (removals: readonly string[]) =>
  createHash('sha256').update(removals.join('\n')).digest('hex');

const secretNotShown = (project: string) =>
  badInput(
    `The project ${project} would be created, and its secret is in no other answer. Nothing was ` +
      'changed. Set `createProjects` to create it.',
    { code: 'secret_not_shown', field: 'createProjects', details: { project } },
  );

/**
 * Applies a file to an installation, as one transaction: an error changes nothing and loses no
 * secret. Applying the same file again changes nothing.
 *
 * @throws Refusal when the file names a plan that does not exist, a new owner has no password, no one
 * would see a new secret, something would be removed, or the user may not change something
 */
export async function applyFile(
  call: Call,
  checked: CheckedFile,
  options: ApplyOptions,
): Promise<Applied> {
  const passwordHash = await hashForNewOwner(call, checked.file);
  const put = (ctx: VerbContext) => putFile({ ...call, ctx }, checked, passwordHash);
  if (options.isDryRun) return dryRun(call.ctx, put);
  return allOrNothing(call.ctx, async (ctx) => {
    const applied = await put(ctx);
    const removals = removalsOf(applied);
    const isConfirmed = options.prune === true || options.prune === digestOf(removals);
    if (removals.length > 0 && !isConfirmed) throw unconfirmed(removals);
    const created = applied.projects.find(({ projectSecret }) => projectSecret !== null);
    if (created && !options.canShowSecrets) throw secretNotShown(created.entry.name);
    return applied;
  });
}

async function putFile(
  call: Call,
  { file, errorFor }: CheckedFile,
  passwordHash: string | null,
): Promise<Applied> {
  const known = new Map((await listPlans(call.ctx.db)).map((plan) => [plan.name, plan]));
  const problems = unknownPlans(file, new Set(known.keys()));
  if (problems.length > 0) throw errorFor(problems);
  const owner = await ownerOf(call, file, passwordHash);
  const plans: Applied['plans'] = [];
  for (const plan of file.plans) {
    plans.push({ plan, outcome: await putPlanOf(call, plan, known.get(plan.name)) });
  }
  const projects: AppliedProject[] = [];
  const stuck: Problem[] = [];
  for (const [index, entry] of file.projects.entries()) {
    if (owner === null) throw new Error('a checked file has projects without an owner');
    const { inUse, ...project } = await putProject(call, owner, entry);
    projects.push(project);
    stuck.push(
      ...inUse.map((message) => ({ path: ['projects', index, 'customerPlans'], message })),
    );
  }
  if (stuck.length > 0) throw errorFor(stuck);
  return { owner: owner === null ? null : withoutId(owner), plans, projects };
}

/** Only an administrator may change a plan; a file may have those that are as it says. */
async function putPlanOf(
  { ctx, by }: Call,
  plan: CeibaFile['plans'][number],
  known: Plan | undefined,
): Promise<Outcome> {
  if (by.kind === 'operator') return (await putPlan(ctx, plan)).kind;
  const given = Object.entries(plan).filter(([, value]) => value !== undefined);
  if (known !== undefined && given.every(([name, value]) => known[name as keyof Plan] === value)) {
    return 'unchanged';
  }
  return (await putPlan({ ...ctx, requires: { administrator: by } }, plan)).kind;
}

function unknownPlans({ plans, projects }: CeibaFile, existing: ReadonlySet<string>) {
  const known = new Set([...existing, ...plans.map(({ name }) => name)]);
  return projects.flatMap(({ subscription }, index) => {
    const plan = subscription?.plan;
    if (plan === undefined || known.has(plan)) return [];
    return [
      {
        path: ['projects', index, 'subscription', 'plan'],
        message: `there is no plan "${plan}"; the plans are ${[...known].join(', ')}`,
      },
    ];
  });
}

interface Owner {
  /** Null where there is no such account. */
  userId: string | null;
  email: string;
  outcome: Outcome;
  isAdministrator: boolean;
}

const withoutId = ({ email, outcome, isAdministrator }: Owner) => ({
  email,
  outcome,
  isAdministrator,
});

/** Only the operator creates accounts; a user learns nothing of an account but their own. */
async function ownerOf(
  call: Call,
  { owner, projects }: CeibaFile,
  passwordHash: string | null,
): Promise<Owner | null> {
  const { ctx, by } = call;
  if (owner === undefined) return null;
  if (by.kind === 'operator') return putOwner(ctx, owner.email, passwordHash);
  const userId = (await findUserByEmail(ctx.db, owner.email))?.userId ?? null;
  const isOneself = userId === by.userId;
  if (!isOneself && projects.length === 0) throw forbidden(OWNER_ALONE);
  const { email } = isOneself ? by : owner;
  return { userId, email, outcome: 'unchanged', isAdministrator: isOneself && by.isAdministrator };
}

const OWNER_ALONE =
  'Only the operator creates accounts, on the machine of the database. Leave out the owner, which has no project in the file.';

async function putOwner(
  tx: VerbContext,
  email: string,
  passwordHash: string | null,
): Promise<Owner> {
  const existing = await findUserByEmail(tx.db, email);
  if (existing !== null) return { ...existing, outcome: 'unchanged' };
  if (passwordHash === null) {
    throw failure(`The account ${email} has just been deleted. Run this again.`);
  }
  const created = await createUser(tx, { email, passwordHash });
  // A user signed up with this address concurrently: keep that account.
  if (created.kind === 'email_taken') return putOwner(tx, email, passwordHash);
  return { ...created, email, outcome: 'created' };
}

/**
 * The hash of a new owner's password; null if there is none to create. Before the transaction: on
 * a busy machine a hash takes longer than a transaction may be idle.
 */
async function hashForNewOwner(
  { by, ctx: { db } }: Call,
  { owner }: CeibaFile,
): Promise<string | null> {
  if (by.kind === 'user' || owner === undefined) return null;
  if ((await findUserByEmail(db, owner.email)) !== null) return null;
  return hashPassword(await passwordForNewOwner(owner.email, by.ownerPassword));
}

async function passwordForNewOwner(email: string, password: string | undefined): Promise<string> {
  if (password === undefined) {
    throw badInput(
      `${email} has no account yet. Nothing was changed. ` +
        'Set CEIBA_OWNER_PASSWORD to the password of the new account.',
      { field: 'CEIBA_OWNER_PASSWORD' },
    );
  }
  return checkedPassword(password, { email, variable: 'CEIBA_OWNER_PASSWORD' });
}

async function putProject(
  call: Call,
  owner: Owner,
  entry: ProjectEntry,
): Promise<AppliedProject & { inUse: string[] }> {
  try {
    const found = await findOrCreate(call, owner, entry.name);
    return await setProject(call, found, entry);
  } catch (error) {
    if (!(error instanceof RightRefusedError)) throw error;
    throw error.role === null ? noProjectOf(owner, entry.name) : roleRefused(error.role, entry);
  }
}

const noProjectOf = ({ email }: Owner, name: string) =>
  missing(`There is no project ${name} of ${email} that you may see.`);

const roleRefused = (role: string, { name }: ProjectEntry) =>
  forbidden(
    `Your role in the project ${name} is ${role}, which does not permit all that the file sets of it. Nothing was changed.`,
  );

async function setProject(
  call: Call,
  { projectId, projectSecret }: { projectId: string; projectSecret: string | null },
  entry: ProjectEntry,
): Promise<AppliedProject & { inUse: string[] }> {
  const { subscription, defaultKeyRateLimitPerMinute: rate, keyPrefix } = entry;
  const { customerPlans, policies } = entry;
  const inUse: string[] = [];
  const tx = changing(call, projectId, 'change_policies');
  /** A file may have parts that the user may not change, as they are. */
  const settled = async <Result>(
    right: ProjectRight,
    change: Promise<Result>,
    isUnchanged = (result: Result) => result === 'unchanged',
  ): Promise<Result> => {
    const { by, ctx } = call;
    const result = await change;
    if (by.kind === 'user' && !isUnchanged(result)) {
      await requireRight(ctx.db.orm, { userId: by.userId, projectId, right });
    }
    return result;
  };
  const set = async (settings: Omit<Parameters<typeof updateProject>[1], 'projectId'>) =>
    outcomeOf(await updateProject(tx, { projectId, ...settings }));
  return {
    entry,
    projectId,
    projectSecret,
    subscription:
      subscription === undefined
        ? null
        : await settled('change_subscription', putSubscription(tx, projectId, subscription)),
    defaultKeyRateLimitPerMinute:
      rate === undefined
        ? null
        : await settled('change_settings', set({ defaultKeyRateLimitPerMinute: rate })),
    keyPrefix:
      keyPrefix === undefined ? null : await settled('change_settings', set({ keyPrefix })),
    customerPlans:
      customerPlans === undefined
        ? null
        : await settled(
            'change_customer_plans',
            replaceCustomerPlans(tx, { projectId, plans: customerPlans, inUse }),
            ({ put, removed }) =>
              removed.length === 0 && put.every(({ outcome }) => outcome === 'unchanged'),
          ),
    policies:
      policies === undefined
        ? null
        : counted(await replacePolicies(tx, { projectId, rules: policies })),
    inUse,
  };
}

/** @param inUse gets why plans that are not in the file cannot be removed */
async function replaceCustomerPlans(
  tx: VerbContext,
  {
    projectId,
    plans,
    inUse,
  }: {
    projectId: string;
    plans: NonNullable<ProjectEntry['customerPlans']>;
    inUse: string[];
  },
): Promise<AppliedCustomerPlans> {
  const applied: AppliedCustomerPlans = { put: [], removed: [] };
  for (const plan of plans) {
    const result = await putCustomerPlan(tx, { projectId, ...plan });
    if (result.kind === 'not_found') throw projectGone();
    applied.put.push({ plan: result.plan, outcome: result.kind });
  }
  const kept = new Set(applied.put.map(({ plan }) => plan.planId));
  for (const plan of await listCustomerPlans(tx.db, projectId)) {
    if (kept.has(plan.planId)) continue;
    const result = await deleteCustomerPlan(tx, plan);
    if (result.kind === 'in_use') inUse.push(whyNotRemoved(plan.name, result.customers));
    else applied.removed.push(plan);
  }
  return applied;
}

const whyNotRemoved = (plan: string, customers: number) =>
  `must have the plan ${plan}, because ${customers === 1 ? 'a customer is' : `${customers} customers are`} on it`;

async function findOrCreate(call: Call, owner: Owner, name: string) {
  const { ctx, by, random } = call;
  const { userId: ownerId } = owner;
  const existing = ownerId && (await findProjectByName(ctx.db, { ownerId, name }));
  if (existing && (by.kind === 'operator' || (await findProject(call, existing.projectId)))) {
    return { projectId: existing.projectId, projectSecret: null };
  }
  if (existing || ownerId === null || !mayCreate(by, ownerId)) throw noProjectOf(owner, name);
  const secret = mintProjectSecret(random);
  const own = by.kind === 'operator' ? ctx : { ...ctx, requires: { ownerId } };
  const created = await createProject(own, { ownerId, name, secret });
  if (created.kind === 'name_taken') {
    throw failure(`Someone else has just created a project named ${name}. Run this again.`);
  }
  return { projectId: created.projectId, projectSecret: secret.plaintext };
}

/** A token for certain projects creates none: it learns nothing of the names of the others. */
const mayCreate = (by: Call['by'], ownerId: string) =>
  by.kind === 'operator' || (ownerId === by.userId && by.projectIds === null);

async function putSubscription(
  tx: VerbContext,
  projectId: string,
  { plan, status, currentPeriodEnd }: NonNullable<ProjectEntry['subscription']>,
): Promise<Outcome> {
  const planId = plan === undefined ? undefined : await planIdOf(tx, plan);
  return outcomeOf(await setSubscription(tx, { projectId, planId, status, currentPeriodEnd }));
}

/** {@link unknownPlans} found every plan of the file, so only a change of plans can intervene. */
async function planIdOf(tx: VerbContext, name: string): Promise<string> {
  const plan = await findPlanByName(tx.db, name);
  if (plan !== null) return plan.planId;
  throw failure(`Someone else has just renamed or deleted the plan ${name}. Run this again.`);
}

/** After this transaction found or created the project, only a deletion can intervene. */
function outcomeOf({ kind }: { kind: string }): 'updated' | 'unchanged' {
  if (kind === 'updated' || kind === 'unchanged') return kind;
  throw failure(`Someone else has just changed the project (${kind}). Run this again.`);
}

function counted(result: Awaited<ReturnType<typeof replacePolicies>>): ReplacePoliciesResult {
  if ('kind' in result) {
    throw result.kind === 'too_many'
      ? failure(`A project has at most ${POLICIES_MAX} policies.`)
      : projectGone();
  }
  return result;
}

const projectGone = () => failure('The project has just been deleted. Run this again.');
