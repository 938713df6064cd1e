import {
  type CreateCustomerResult,
  createCustomer,
  InvalidInputError,
  type VerbContext,
} from '@ceiba/schema';
import { noProject } from '../not-found.ts';
import type { CreateCustomerRequest, CustomerRow, RowProblem } from './csv.ts';

export interface Refused extends RowProblem {
  line: number;
  externalId: string;
}

export interface Imported {
  created: number;
  /** Rows of customers that are there, with every field that the row gives. */
  unchanged: number;
  refused: Refused[];
}

export interface ImportInput {
  projectId: string;
  rows: readonly CustomerRow[];
  /** Finds the same result and changes nothing. */
  isDryRun: boolean;
  /** Called after each row. */
  onRow(soFar: Imported, refused: Refused | null): void;
}

/**
 * Creates customers row by row, each in a transaction of its own: a row that is refused leaves the others,
 * and an import that was interrupted can be repeated.
 *
 * @throws CliError when there is no such project
 */
export async function importCustomers(ctx: VerbContext, input: ImportInput): Promise<Imported> {
  const { projectId, rows, isDryRun, onRow } = input;
  const create = isDryRun ? rehearsal(ctx, projectId) : creation(ctx, projectId);
  const imported: Imported = { created: 0, unchanged: 0, refused: [] };
  for (const { line, externalId, parsed } of rows) {
    const outcome = 'problem' in parsed ? parsed : await outcomeOf(create, parsed);
    if (outcome === 'created') imported.created += 1;
    else if (outcome === 'unchanged') imported.unchanged += 1;
    const refused = typeof outcome === 'string' ? null : { line, externalId, ...outcome };
    if (refused !== null) imported.refused.push(refused);
    onRow(imported, refused);
  }
  return imported;
}

type Create = (request: CreateCustomerRequest) => Promise<CreateCustomerResult>;

const creation =
  (ctx: VerbContext, projectId: string): Create =>
  ({ currentPeriodEnd, ...fields }) =>
    createCustomer(ctx, {
      projectId,
      ...fields,
      currentPeriodEnd: currentPeriodEnd == null ? currentPeriodEnd : new Date(currentPeriodEnd),
    });

/** Ends the transaction of a rehearsal. */
class RollBack extends Error {
  override readonly name = 'RollBack';
}

/** Creates each customer in a transaction that is rolled back. */
function rehearsal(ctx: VerbContext, projectId: string): Create {
  /** What would be there by now, by external id. */
  const created = new Map<string, CreateCustomerRequest>();
  return async (request) => {
    let result: CreateCustomerResult | undefined;
    const attempt = ctx.db.orm.transaction(async (orm) => {
      const create = creation({ ...ctx, db: { orm } }, projectId);
      const earlier = created.get(request.externalId);
      if (earlier !== undefined) await create(earlier);
      result = await create(request);
      throw new RollBack();
    });
    await attempt.catch((error) => {
      if (!(error instanceof RollBack)) throw error;
    });
    if (result === undefined) throw new Error('a rehearsal has no result');
    if (result.kind === 'created') created.set(request.externalId, request);
    return result;
  };
}

async function outcomeOf(
  create: Create,
  request: CreateCustomerRequest,
): Promise<'created' | 'unchanged' | RowProblem> {
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
        throw noProject('of this id');
    }
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const [first] = error.problems;
    return { field: first?.field ?? null, problem: first?.rule ?? error.message };
  }
}
