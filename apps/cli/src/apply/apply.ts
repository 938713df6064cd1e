import { mintProjectSecret, POLICIES_MAX, type RandomBytes } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  allOrNothing,
  createProject,
  createUser,
  deleteCustomerPlan,
  findPlanByName,
  findProjectByName,
  findUserByEmail,
  listCustomerPlans,
  listPlans,
  putCustomerPlan,
  putPlan,
  type ReplacePoliciesResult,
  replacePolicies,
  setSubscription,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { badInput, CliError, failure } from '../errors.ts';
import { checkedPassword } from '../password.ts';
import { secretNotShown } from '../secret-output.ts';
import type { Applied, AppliedCustomerPlans, AppliedProject, Outcome } from './applied.ts';
import { removalsOf } from './changes.ts';
import type { Problem } from './cross-checks.ts';
import type { CheckedFile } from './read.ts';
import type { CeibaFile, ProjectEntry } from './schema.ts';

export interface ApplyOptions {
  random: RandomBytes;
  /** Used only when the owner has no account yet. */
  ownerPassword: string | undefined;
  /** Computes the result and changes nothing. */
  isDryRun: boolean;
  /** What may be removed, as `removalsOf` names it. */
  mayRemove(removal: string): boolean;
  /** Whether a new secret reaches someone: otherwise no project is created. */
  canShowSecrets: boolean;
}

/** The file removes policies or customer plans, and that was not confirmed. Nothing was changed. */
export class UnconfirmedRemovals extends CliError {
  constructor(readonly removals: readonly string[]) {
    super(
      'The file does not have these, so they would be removed. Nothing was changed:\n' +
        `${listed(removals)}\nAdd them to the file, or add --prune to remove them.`,
      2,
      'would_remove_policies',
      '--prune',
    );
  }
}

/** One line per removal. */
export const listed = (removals: readonly string[]) =>
  removals.map((removal) => `  ${removal}`).join('\n');

/** Ends the transaction of a dry run. */
class RollBack extends Error {
  readonly applied: Applied;

  constructor(applied: Applied) {
    super('a dry run changes nothing');
    this.applied = applied;
  }
}

/**
 * Applies a file to an installation, as one transaction: an error changes nothing and loses no
 * secret. Applying the same file again changes nothing.
 *
 * @throws CliError when the file names a plan that does not exist, a new owner has no password, or no
 * one would see a new secret
 * @throws UnconfirmedRemovals
 */
export async function applyFile(
  ctx: VerbContext,
  checked: CheckedFile,
  options: ApplyOptions,
): Promise<Applied> {
  const passwordHash = await hashForNewOwner(ctx, checked.file, options);
  const attempt = allOrNothing(ctx, async (tx) => {
    const applied = await putFile(tx, checked, passwordHash, options);
    if (options.isDryRun) throw new RollBack(applied);
    const unconfirmed = removalsOf(applied).filter((removal) => !options.mayRemove(removal));
    if (unconfirmed.length > 0) throw new UnconfirmedRemovals(unconfirmed);
    const created = applied.projects.find(({ projectSecret }) => projectSecret !== null);
    if (created && !options.canShowSecrets) {
      throw secretNotShown(`The project ${created.entry.name} would be created, and its secret`);
    }
    return applied;
  });
  return attempt.catch((error) => {
    if (error instanceof RollBack) return error.applied;
    throw error;
  });
}

async function putFile(
  tx: VerbContext,
  { file, errorFor }: CheckedFile,
  passwordHash: string | null,
  options: ApplyOptions,
): Promise<Applied> {
  const known = new Set((await listPlans(tx.db)).map(({ name }) => name));
  const problems = unknownPlans(file, known);
  if (problems.length > 0) throw errorFor(problems);
  const owner =
    file.owner === undefined ? null : await putOwner(tx, file.owner.email, passwordHash);
  const plans: Applied['plans'] = [];
  for (const plan of file.plans) plans.push({ plan, outcome: (await putPlan(tx, plan)).kind });
  const projects: AppliedProject[] = [];
  const stuck: Problem[] = [];
  for (const [index, entry] of file.projects.entries()) {
    if (owner === null) throw new Error('a checked file has projects without an owner');
    const { inUse, ...project } = await putProject(tx, owner.userId, entry, options.random);
    projects.push(project);
    stuck.push(
      ...inUse.map((message) => ({ path: ['projects', index, 'customerPlans'], message })),
    );
  }
  if (stuck.length > 0) throw errorFor(stuck);
  return { owner: owner === null ? null : withoutId(owner), plans, projects };
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
  userId: string;
  email: string;
  outcome: Outcome;
  isAdministrator: boolean;
}

const withoutId = ({ email, outcome, isAdministrator }: Owner) => ({
  email,
  outcome,
  isAdministrator,
});

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
 * The hash of a new owner's password; null if the owner has an account. Before the transaction: on
 * a busy machine a hash takes longer than a transaction may be idle.
 */
async function hashForNewOwner(
  { db }: VerbContext,
  { owner }: CeibaFile,
  { ownerPassword }: ApplyOptions,
): Promise<string | null> {
  if (owner === undefined || (await findUserByEmail(db, owner.email)) !== null) return null;
  return hashPassword(await passwordForNewOwner(owner.email, ownerPassword));
}

async function passwordForNewOwner(email: string, password: string | undefined): Promise<string> {
  if (password === undefined) {
    throw badInput(
      `${email} has no account yet. Nothing was changed. ` +
        'Set CEIBA_OWNER_PASSWORD to the password of the new account.',
      { field: 'CEIBA_OWNER_PASSWORD' },
    );
  }
  return checkedPassword(password, { email, source: 'CEIBA_OWNER_PASSWORD' });
}

async function putProject(
  tx: VerbContext,
  ownerId: string,
  entry: ProjectEntry,
  random: RandomBytes,
): Promise<AppliedProject & { inUse: string[] }> {
  const { projectId, projectSecret } = await findOrCreate(tx, ownerId, entry.name, random);
  const rate = entry.defaultKeyRateLimitPerMinute;
  const inUse: string[] = [];
  return {
    entry,
    projectId,
    projectSecret,
    subscription:
      entry.subscription === undefined
        ? null
        : await putSubscription(tx, projectId, entry.subscription),
    defaultKeyRateLimitPerMinute:
      rate === undefined
        ? null
        : outcomeOf(await updateProject(tx, { projectId, defaultKeyRateLimitPerMinute: rate })),
    customerPlans:
      entry.customerPlans === undefined
        ? null
        : await replaceCustomerPlans(tx, { projectId, plans: entry.customerPlans, inUse }),
    policies:
      entry.policies === undefined
        ? null
        : counted(await replacePolicies(tx, { projectId, rules: entry.policies })),
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

async function findOrCreate(tx: VerbContext, ownerId: string, name: string, random: RandomBytes) {
  const existing = await findProjectByName(tx.db, { ownerId, name });
  if (existing !== null) return { projectId: existing.projectId, projectSecret: null };
  const secret = mintProjectSecret(random);
  const created = await createProject(tx, { ownerId, name, secret });
  if (created.kind === 'name_taken') {
    throw failure(`Someone else has just created a project named ${name}. Run this again.`);
  }
  return { projectId: created.projectId, projectSecret: secret.plaintext };
}

async function putSubscription(
  tx: VerbContext,
  projectId: string,
  { plan, status, currentPeriodEnd }: NonNullable<ProjectEntry['subscription']>,
): Promise<Outcome> {
  const planId = plan === undefined ? undefined : (await findPlanByName(tx.db, plan))?.planId;
  return outcomeOf(
    await setSubscription(tx, {
      projectId,
      ...(planId === undefined ? {} : { planId }),
      ...(status === undefined ? {} : { status }),
      ...(currentPeriodEnd === undefined ? {} : { currentPeriodEnd }),
    }),
  );
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
