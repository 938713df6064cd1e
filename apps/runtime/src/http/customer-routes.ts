import {
  type CustomerBody,
  type CustomerListResult,
  createCustomerRequestSchema,
  customerQuerySchema,
  dateOf,
  ERROR_MESSAGES,
  updateCustomerRequestSchema,
} from '@ceiba/contract';
import {
  type Customer,
  createCustomer,
  getCustomer,
  listCustomers,
  resumeCustomer,
  type SetCustomerSuspendedResult,
  suspendCustomer,
  updateCustomer,
} from '@ceiba/schema';
import { invalidRequest, TransportError, unauthorized } from '../errors.ts';
import { parseBody, requireNoFields } from './body.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const CUSTOMERS = '/rt/projects/:projectId/customers';
const CUSTOMER = { path: `${CUSTOMERS}/:customerId`, id: 'customerId' } as const;

const LIST: ProjectRoute<typeof customerQuerySchema> = {
  method: 'GET',
  path: CUSTOMERS,
  query: customerQuerySchema,
  answer: list,
};

/** The routes of a project's customers. */
export const CUSTOMER_ROUTES: readonly ProjectRoute[] = [
  LIST,
  { method: 'POST', path: CUSTOMERS, answer: create },
  { ...CUSTOMER, method: 'GET', answer: get },
  { ...CUSTOMER, method: 'PATCH', answer: update },
  { ...CUSTOMER, method: 'POST', path: `${CUSTOMER.path}/suspend`, answer: suspend },
  { ...CUSTOMER, method: 'POST', path: `${CUSTOMER.path}/resume`, answer: resume },
];

async function list({
  run,
  projectId,
  query,
}: ProjectCall<typeof customerQuerySchema>): Promise<CustomerListResult> {
  const { limit, cursor = null, ...filter } = query;
  const page = await run(({ db }) => listCustomers(db, { projectId, filter, limit, cursor }));
  return { customers: page.items.map(toBody), nextCursor: page.next };
}

async function create({ run, projectId, body }: ProjectCall): Promise<CustomerBody> {
  const { currentPeriodEnd, ...fields } = parseBody(createCustomerRequestSchema, body);
  const input = { projectId, ...fields, currentPeriodEnd: dateOf(currentPeriodEnd) };
  const result = await run((ctx) => createCustomer(ctx, input));
  switch (result.kind) {
    case 'not_found': // the project was deleted after its secret was checked
      throw unauthorized();
    case 'unknown_plan':
      throw unknownPlan();
    case 'conflict':
      throw conflict(`The customer of this "externalId" has another "${result.field}".`);
    case 'created':
    case 'exists':
      return toBody(result.customer);
  }
}

async function get({ run, projectId, id: customerId }: ProjectCall): Promise<CustomerBody> {
  const customer = await run(({ db }) => getCustomer(db, { projectId, customerId }));
  if (customer === null) throw noCustomer();
  return toBody(customer);
}

async function update({ run, projectId, id, body }: ProjectCall): Promise<CustomerBody> {
  const { currentPeriodEnd, ...fields } = parseBody(updateCustomerRequestSchema, body);
  const ref = { projectId, customerId: id };
  const input = { ...ref, ...fields, currentPeriodEnd: dateOf(currentPeriodEnd) };
  const result = await run((ctx) => updateCustomer(ctx, input));
  switch (result.kind) {
    case 'not_found':
      throw noCustomer();
    case 'unknown_plan':
      throw unknownPlan();
    case 'conflict':
      throw conflict(`Another customer of the project has this "${result.field}".`);
    case 'updated':
    case 'unchanged':
      return toBody(result.customer);
  }
}

async function suspend(call: ProjectCall): Promise<CustomerBody> {
  requireNoFields(call.body);
  return suspended(await call.run((ctx) => suspendCustomer(ctx, customerOf(call))));
}

async function resume(call: ProjectCall): Promise<CustomerBody> {
  requireNoFields(call.body);
  return suspended(await call.run((ctx) => resumeCustomer(ctx, customerOf(call))));
}

const customerOf = ({ projectId, id }: ProjectCall) => ({ projectId, customerId: id });

function suspended(result: SetCustomerSuspendedResult): CustomerBody {
  if (result.kind === 'not_found') throw noCustomer();
  return toBody(result.customer);
}

export const noCustomer = () => new TransportError('not_found', ERROR_MESSAGES.unknown_customer);
const unknownPlan = () =>
  invalidRequest('"plan" is not the name of a customer plan of the project.');
const conflict = (message: string) => new TransportError('conflict', message);

const toBody = ({
  suspendedAt,
  currentPeriodEnd,
  createdAt,
  ...customer
}: Customer): CustomerBody => ({
  ...customer,
  suspendedAt: suspendedAt?.toISOString() ?? null,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});
