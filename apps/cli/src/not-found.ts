import { uuidSchema } from '@ceiba/contract';
import {
  type Customer,
  getCustomer,
  getProject,
  listCustomers,
  type VerbContext,
} from '@ceiba/schema';
import { badInput } from './errors.ts';

type Db = VerbContext['db'];

export const noProject = (projectId: string) =>
  badInput(`There is no project ${projectId}.`, { field: '--project' });

/** The project. @throws CliError where there is none */
export async function requireProject(db: Db, projectId: string) {
  const project = await getProject(db, projectId);
  if (project === null) throw noProject(projectId);
  return project;
}

/** @param key its id, or what was given instead */
export const noKey = (projectId: string, key: string) =>
  badInput(`Project ${projectId} has no key ${key}.`, { field: '--key' });

/** @param customer its id, or what was given instead */
export const noCustomer = (projectId: string, customer: string) =>
  badInput(`Project ${projectId} has no customer ${customer}.`, { field: '--customer' });

/**
 * The customer of the project that has this id, or else this external id.
 *
 * @throws CliError where there is neither, or no such project
 */
export async function requireCustomer(
  db: Db,
  projectId: string,
  idOrExternalId: string,
): Promise<Customer> {
  const asId = uuidSchema.safeParse(idOrExternalId);
  const byId = asId.success
    ? await getCustomer(db, { projectId, customerId: idOrExternalId.toLowerCase() })
    : null;
  if (byId !== null) return byId;
  const filter = { externalId: idOrExternalId };
  const [byExternalId] = (await listCustomers(db, { projectId, filter, limit: 1 })).items;
  if (byExternalId !== undefined) return byExternalId;
  await requireProject(db, projectId);
  throw noCustomer(projectId, idOrExternalId);
}

/** Of {@link requireCustomer}, its id alone, to name it to a verb or to a filter. */
export async function customerIdOf(db: Db, projectId: string, idOrExternalId: string) {
  const { customerId } = await requireCustomer(db, projectId, idOrExternalId);
  return { customerId };
}
