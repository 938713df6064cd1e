import {
  createCustomerRequestSchema,
  customerQuerySchema,
  customerSchema,
  customerUsageResultSchema,
  dateOf,
  safeParse,
  updateCustomerRequestSchema,
  uuidSchema,
} from '@ceiba/contract';
import {
  type CreateCustomerResult,
  type Customer,
  type CustomerRef,
  createCustomer,
  dryRun,
  getCustomer,
  InvalidInputError,
  listCustomerPlans,
  listCustomers as listPageOfCustomers,
  readUsageOf,
  resumeCustomer as resume,
  type SetCustomerSuspendedResult,
  suspendCustomer as suspend,
  updateCustomer as update,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { customer, flag, instant, nextCursor, page, pageOf, projectId } from '../fields.ts';
import { type Call, changing, noProject, operation } from '../operation.ts';
import { badInput, conflict, missing } from '../refusal.ts';
import { problemOf, problemOfInput, rowProblem } from '../row-problem.ts';

const CUSTOMERS = '/projects/{projectId}/customers';
const ofCustomer = { projectId, customer };

export const listCustomers = operation({
  name: 'listCustomers',
  summary: 'List the customers of a project, newest first',
  method: 'GET',
  path: CUSTOMERS,
  access: 'read',
  input: z.strictObject({
    projectId,
    externalId: customerQuerySchema.shape.externalId.describe('Exactly this external id.'),
    status: customerQuerySchema.shape.status.describe('Only those that are suspended, or not.'),
    search: customerQuerySchema.shape.search.describe('With this in the external id or the name.'),
    ...page,
  }),
  output: z.strictObject({ customers: z.array(customerSchema), nextCursor }),
  run: async (call, { projectId, limit, cursor, ...filter }) => {
    const asked = { projectId, filter, ...pageOf({ limit, cursor }) };
    const { items, next } = await listPageOfCustomers(call.ctx.db, asked);
    return { customers: items, nextCursor: next };
  },
});

export const getCustomerByName = operation({
  name: 'getCustomer',
  summary: 'Read a customer',
  method: 'GET',
  path: `${CUSTOMERS}/{customer}`,
  access: 'read',
  input: z.strictObject(ofCustomer),
  output: customerSchema,
  run: (call, { projectId, customer }) => requireCustomer(call, projectId, customer),
});

/**
 * The customer of the project that has this id, or else this external id.
 *
 * @throws Refusal where there is neither
 */
export async function requireCustomer(
  call: Call,
  projectId: string,
  idOrExternalId: string,
): Promise<Customer> {
  const { db } = call.ctx;
  const asId = uuidSchema.safeParse(idOrExternalId);
  const byId = asId.success
    ? await getCustomer(db, { projectId, customerId: idOrExternalId.toLowerCase() })
    : null;
  if (byId !== null) return byId;
  const filter = { externalId: idOrExternalId };
  const [byExternalId] = (await listPageOfCustomers(db, { projectId, filter, limit: 1 })).items;
  if (byExternalId !== undefined) return byExternalId;
  throw noCustomer(projectId, idOrExternalId);
}

/** @param named its id, or what was given instead */
const noCustomer = (projectId: string, named: string) =>
  missing(`Project ${projectId} has no customer ${named}.`, 'customer');

export const createCustomerOnce = operation({
  name: 'createCustomer',
  summary: 'Create a customer; safe to repeat',
  method: 'POST',
  path: CUSTOMERS,
  access: 'write',
  example: { externalId: 'acme', plan: 'Gold' },
  input: z.strictObject({ projectId, ...createCustomerRequestSchema.shape }),
  output: z.strictObject({
    created: z.boolean().describe('False where there was one as it is given.'),
    customer: customerSchema,
  }),
  run: async (call, { projectId, currentPeriodEnd, ...fields }) => {
    const result = await createCustomer(changing(call, projectId, 'change_customers'), {
      projectId,
      ...fields,
      currentPeriodEnd: dateOf(currentPeriodEnd),
    });
    if (result.kind === 'conflict') {
      const { externalId } = fields;
      const problem = `There is a customer ${externalId} with another \`${result.field}\`. Nothing was changed; to change it: ceiba customer update.`;
      throw conflict(problem, { code: 'conflict', field: result.field });
    }
    if ('customer' in result) {
      return { created: result.kind === 'created', customer: result.customer };
    }
    throw result.kind === 'unknown_plan'
      ? await noPlan(call, projectId, fields.plan)
      : noProject(projectId);
  },
});

export const updateCustomer = operation({
  name: 'updateCustomer',
  summary: 'Change a customer, from the next decision of each of its keys on',
  method: 'PATCH',
  path: `${CUSTOMERS}/{customer}`,
  access: 'write',
  example: { plan: 'Gold' },
  input: z.strictObject({ ...ofCustomer, ...updateCustomerRequestSchema.shape }),
  output: customerSchema,
  run: async (call, { projectId, customer, currentPeriodEnd, ...fields }) => {
    const { customerId } = await requireCustomer(call, projectId, customer);
    const result = await update(changing(call, projectId, 'change_customers'), {
      projectId,
      customerId,
      ...fields,
      currentPeriodEnd: dateOf(currentPeriodEnd),
    });
    if (result.kind === 'conflict') {
      const problem = `Another customer of the project has the external id ${fields.externalId}. Nothing was changed.`;
      throw conflict(problem, { code: 'conflict', field: 'externalId' });
    }
    if ('customer' in result) return result.customer;
    throw result.kind === 'unknown_plan'
      ? await noPlan(call, projectId, fields.plan)
      : noCustomer(projectId, customer);
  },
});

async function noPlan({ ctx }: Call, projectId: string, plan: string | null | undefined) {
  const names = (await listCustomerPlans(ctx.db, projectId)).map(({ name }) => name);
  const known = names.length === 0 ? 'the project has none' : `they are ${names.join(', ')}`;
  return badInput(`There is no customer plan "${plan}"; ${known}.`, { field: 'plan' });
}

type Suspension = (ctx: VerbContext, ref: CustomerRef) => Promise<SetCustomerSuspendedResult>;

const changeOf = (name: 'suspend' | 'resume', summary: string, verb: Suspension) =>
  operation({
    name: `${name}Customer`,
    summary,
    method: 'POST',
    path: `${CUSTOMERS}/{customer}/${name}`,
    access: 'write',
    input: z.strictObject(ofCustomer),
    output: z.strictObject({
      changed: z.boolean().describe('False where it was so already.'),
      customer: customerSchema,
    }),
    run: async (call, { projectId, customer }) => {
      const { customerId } = await requireCustomer(call, projectId, customer);
      const ctx = changing(call, projectId, 'change_customers');
      const result = await verb(ctx, { projectId, customerId });
      if (result.kind === 'not_found') throw noCustomer(projectId, customer);
      return { changed: result.kind === 'updated', customer: result.customer };
    },
  });

export const CHANGES_OF_CUSTOMERS = {
  suspend: changeOf(
    'suspend',
    'Deny every key of a customer from the next decision on, until it is resumed',
    suspend,
  ),
  resume: changeOf(
    'resume',
    'Let the keys of a suspended customer work again, from the next decision on',
    resume,
  ),
} as const;

const quota = z.int().nullable().describe('Its own or its plan’s; null for none.');

export const readCustomerUsage = operation({
  name: 'getCustomerUsage',
  summary: "Count the calls of a customer's keys, of the last 30 days unless a range is given",
  method: 'GET',
  path: `${CUSTOMERS}/{customer}/usage`,
  access: 'read',
  isLong: true,
  input: z.strictObject({
    ...ofCustomer,
    from: instant.optional().describe('From this time on.'),
    to: instant.optional().describe('Before this time; now without it.'),
    step: z.enum(['day', 'month']).default('day').describe('In UTC.'),
  }),
  output: z.strictObject({
    usage: customerUsageResultSchema,
    monthlyQuota: quota,
    dailyQuota: quota,
  }),
  run: async (call, { projectId, customer: named, from, to, step }) => {
    const customer = await requireCustomer(call, projectId, named);
    const { customerId, plan } = customer;
    const range = { from: dateOf(from) ?? undefined, to: dateOf(to) ?? undefined, step };
    const usage = await readUsageOf(call.db, { projectId, customerId, ...range });
    if (usage === null) throw noCustomer(projectId, named);
    const { period } = usage;
    if (period === null) throw new Error('the usage of a customer has no period');
    const plans = plan === null ? [] : await listCustomerPlans(call.ctx.db, projectId);
    const ofPlan = plans.find(({ planId }) => planId === plan?.planId);
    return {
      usage: { ...usage, usage: usage.usage.map(({ limited: _, ...step }) => step), period },
      monthlyQuota: customer.monthlyQuota ?? ofPlan?.monthlyQuota ?? null,
      dailyQuota: customer.dailyQuota ?? ofPlan?.dailyQuota ?? null,
    };
  },
});

/** The most rows of one call of an import: its body stays well below a megabyte. */
export const IMPORT_ROWS_MAX = 100;

export const importRequest = z.strictObject(createCustomerRequestSchema.shape);
type CreateRequest = z.output<typeof importRequest>;

const imported = z.union([z.literal(['created', 'unchanged']), rowProblem]);
export type ImportedRow = z.output<typeof imported>;

export const importCustomers = operation({
  name: 'importCustomers',
  summary: 'Create customers, each by itself: one that is refused leaves the others',
  method: 'POST',
  path: `${CUSTOMERS}/import`,
  access: 'write',
  example: { customers: [{ externalId: 'acme' }] },
  isLong: true,
  input: z.strictObject({
    projectId,
    customers: z
      .array(z.unknown().meta({ $ref: '#/components/schemas/CustomerRow' }))
      .max(IMPORT_ROWS_MAX, `must be at most ${IMPORT_ROWS_MAX}`),
    dryRun: flag.describe('Find the same results, and change nothing.'),
    created: z
      .array(importRequest)
      .max(IMPORT_ROWS_MAX, `must be at most ${IMPORT_ROWS_MAX}`)
      .default([])
      .describe('In a dry run, those of these external ids that earlier calls would have created.'),
  }),
  output: z.strictObject({ results: z.array(imported) }),
  run: async (call, { projectId, customers, dryRun: isDryRun, created }) => {
    const ctx = changing(call, projectId, 'change_customers');
    const create = isDryRun ? rehearsal(ctx, projectId, created) : creation(ctx, projectId);
    const results: ImportedRow[] = [];
    for (const given of customers) {
      const { data, error } = safeParse(importRequest, given);
      results.push(error ? problemOf(error) : await outcomeOf(create, data, projectId));
    }
    return { results };
  },
});

type Create = (request: CreateRequest) => Promise<CreateCustomerResult>;

const creation =
  (ctx: VerbContext, projectId: string): Create =>
  ({ currentPeriodEnd, ...fields }) =>
    createCustomer(ctx, { projectId, ...fields, currentPeriodEnd: dateOf(currentPeriodEnd) });

/** Creates each customer in a transaction that is rolled back. */
function rehearsal(ctx: VerbContext, projectId: string, before: readonly CreateRequest[]): Create {
  /** What would be there by now, by external id. */
  const created = new Map(before.map((request) => [request.externalId, request]));
  return async (request) => {
    const result = await dryRun(ctx, async (tx) => {
      const create = creation(tx, projectId);
      const earlier = created.get(request.externalId);
      if (earlier !== undefined) await create(earlier);
      return create(request);
    });
    if (result.kind === 'created') created.set(request.externalId, request);
    return result;
  };
}

async function outcomeOf(
  create: Create,
  request: CreateRequest,
  projectId: string,
): Promise<ImportedRow> {
  try {
    const result = await create(request);
    switch (result.kind) {
      case 'created':
        return 'created';
      case 'exists':
        return 'unchanged';
      case 'conflict':
        return { field: result.field, problem: 'differs from that of the customer that is there' };
      case 'unknown_plan':
        return { field: 'plan', problem: 'is not the name of a customer plan of the project' };
      default:
        throw noProject(projectId);
    }
  } catch (error) {
    if (error instanceof InvalidInputError) return problemOfInput(error);
    throw error;
  }
}
