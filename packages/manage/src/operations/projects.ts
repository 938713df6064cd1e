import { dateOf, displayNameSchema, expirySchema } from '@ceiba/contract';
import { SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import { mintProjectSecret } from '@ceiba/domain';
import {
  endPreviousSecret,
  findPlanByName,
  getSubscription,
  listPlans,
  type ProjectWithOwner,
  rotateProjectSecret,
  setSubscription,
} from '@ceiba/schema';
import { z } from 'zod';
import { flag, projectId } from '../fields.ts';
import {
  type Call,
  changing,
  listProjectsFor,
  noProject,
  operation,
  requireProject,
} from '../operation.ts';
import { badInput, conflict, failure } from '../refusal.ts';

const subscription = {
  plan: z.string(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  currentPeriodEnd: z.iso.datetime().nullable(),
  admits: z.boolean().describe('Whether it allows requests now.'),
};

export const project = z.strictObject({
  projectId,
  name: z.string(),
  ownerEmail: z.string(),
  ...subscription,
  plan: subscription.plan.nullable(),
  status: subscription.status.nullable(),
});

export const listProjects = operation({
  name: 'listProjects',
  summary: 'List the projects, with their ids',
  method: 'GET',
  path: '/projects',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({
    projects: z.array(project),
  }),
  run: async ({ ctx, by }) => {
    const projects = await listProjectsFor(ctx.db, by);
    return { projects: projects.map(rowOf).sort(byNameAndOwner) };
  },
});

type Row = ReturnType<typeof rowOf>;

const rowOf = ({ projectId, name, ownerEmail, subscription }: ProjectWithOwner) => ({
  projectId,
  name,
  ownerEmail,
  plan: subscription?.plan.name ?? null,
  status: subscription?.status ?? null,
  currentPeriodEnd: subscription?.currentPeriodEnd?.toISOString() ?? null,
  admits: subscription?.admits ?? false,
});

/** The order of a database depends on its collation; two owners may have projects of one name. */
const byNameAndOwner = (a: Row, b: Row) =>
  compare(a.name, b.name) || compare(a.ownerEmail, b.ownerEmail);

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export const setProjectSubscription = operation({
  name: 'setSubscription',
  summary: "Change a project's subscription, from the next decision on",
  method: 'PATCH',
  path: '/projects/{projectId}/subscription',
  access: 'write',
  example: { plan: 'Pro', status: 'active' },
  input: z.strictObject({
    projectId,
    plan: displayNameSchema.optional().describe('The name of the plan.'),
    status: z.enum(SUBSCRIPTION_STATUSES).optional(),
    currentPeriodEnd: expirySchema.optional().describe('When it ends; null for never.'),
  }),
  output: z.strictObject({ projectId, ...subscription }),
  run: async (call, { projectId, plan, status, currentPeriodEnd }) => {
    const { db } = call.ctx;
    const planId = plan === undefined ? undefined : await planIdOf(call, plan);
    const { kind } = await setSubscription(changing(call, projectId, 'change_subscription'), {
      projectId,
      planId,
      status,
      currentPeriodEnd: dateOf(currentPeriodEnd),
    });
    if (kind === 'not_found') throw noProject(projectId);
    if (kind === 'plan_not_found') {
      throw badInput('The project has no plan yet: give `plan`.', { field: 'plan' });
    }
    const now = await getSubscription(db, projectId);
    if (now === null) throw failure('The project has just been deleted.');
    return {
      projectId,
      plan: now.plan.name,
      status: now.status,
      currentPeriodEnd: now.currentPeriodEnd,
      admits: now.admits,
    };
  },
});

async function planIdOf({ ctx: { db } }: Call, name: string): Promise<string> {
  const plan = await findPlanByName(db, name);
  if (plan !== null) return plan.planId;
  const names = (await listPlans(db)).map((known) => known.name).join(', ');
  throw badInput(`There is no plan "${name}"; the plans are ${names}.`, { field: 'plan' });
}

export const rotateSecret = operation({
  name: 'rotateProjectSecret',
  summary: 'Create a new project secret; the one that it replaces stays valid for 24 hours',
  method: 'POST',
  path: '/projects/{projectId}/rotate-secret',
  access: 'write',
  input: z.strictObject({
    projectId,
    dropsPrevious: flag.describe('Rotate although a previous secret is valid, which then ends.'),
  }),
  output: z.strictObject({
    projectId,
    projectSecret: z.string().describe('Only in this answer.'),
    previousSecretExpiresAt: z.iso.datetime(),
  }),
  run: async (call, { projectId, dropsPrevious }) => {
    const project = await requireProject(call, projectId);
    const secret = mintProjectSecret(call.random);
    const result = await rotateProjectSecret(changing(call, projectId, 'change_secret'), {
      projectId,
      secret,
      replaces: project.secretCreatedAt,
      dropsPrevious,
    });
    switch (result.kind) {
      case 'rotated':
        return {
          projectId,
          projectSecret: secret.plaintext,
          previousSecretExpiresAt: result.previousSecretExpiresAt,
        };
      case 'previous_still_valid':
        throw conflict(
          `${project.name} was rotated less than 24 hours ago: its previous secret is valid until ` +
            `${result.previousSecretExpiresAt.toISOString()}, and rotating now stops it at once. ` +
            'When no host uses it any more, run this again with `dropsPrevious`.',
          { code: 'not_confirmed', field: 'dropsPrevious' },
        );
      case 'conflict':
        throw failure(ROTATED_NOW);
      case 'not_found':
        throw noProject(projectId);
    }
  },
});

export const endSecret = operation({
  name: 'endPreviousSecret',
  summary: 'End the secret that the last rotation replaced, before its 24 hours are over',
  method: 'POST',
  path: '/projects/{projectId}/end-previous-secret',
  access: 'write',
  input: z.strictObject({ projectId }),
  output: z.strictObject({ projectId, ended: z.boolean() }),
  run: async (call, { projectId }) => {
    const project = await requireProject(call, projectId);
    const { kind } = await endPreviousSecret(changing(call, projectId, 'change_secret'), {
      projectId,
      current: project.secretCreatedAt,
    });
    if (kind === 'conflict') throw failure(ROTATED_NOW);
    if (kind === 'not_found') throw noProject(projectId);
    return { projectId, ended: kind === 'ended' };
  },
});

const ROTATED_NOW = 'Someone else has just rotated the secret. Nothing was changed.';
