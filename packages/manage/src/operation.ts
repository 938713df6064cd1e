import { safeParse } from '@ceiba/contract';
import type { ProjectRight, RandomBytes } from '@ceiba/domain';
import {
  AdministratorRefusedError,
  type Database,
  getProject,
  getProjectOf,
  InvalidInputError,
  listProjectsWithOwner,
  type Project,
  type ProjectWithOwner,
  RightRefusedError,
  TokenRefusedError,
  type TokenUser,
  tokenReaches,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { badInput, forbidden, missing, Refusal } from './refusal.ts';
import { problemOf } from './row-problem.ts';

/** Who runs an operation: the operator, who may do all, or the user of an access token. */
export type Asker =
  | { kind: 'operator' /** For a new owner. */; ownerPassword?: string | undefined }
  | ({ kind: 'user' } & TokenUser);

/** What an operation runs with. */
export interface Call {
  ctx: VerbContext;
  /** The database of the context, outside of a transaction. */
  db: Database;
  by: Asker;
  random: RandomBytes;
}

/**
 * One thing that can be managed: the command line runs it on its own connection, the console over HTTP.
 * Input and output are JSON, so that both give the same. Each part of the path in braces is a field of
 * the input; the others are the query of a GET, and else the fields of a JSON body.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: `/${string}`;
  readonly access: 'read' | 'write';
  /** Of the body, for the reference. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** It may take seconds: of a long file or range. */
  readonly isLong?: true;
  readonly input: Input;
  readonly output: Output;
  /** The field that is the body as text, such as a file; then the others are the query. */
  readonly text?: string;
  run(call: Call, input: z.output<Input>): Promise<Sent<z.input<Output>>>;
}

/** A value that becomes `T` when it is sent as JSON. */
export type Sent<T> = T extends string
  ? T | Date
  : T extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]: Sent<T[Field]> }
      : T;

/** For the types of `run`. */
export const operation = <Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => definition;

/** What an operation needs with this input: a rehearsal changes nothing, so that it only reads. */
export const accessNeeded = (
  { access }: Pick<Operation, 'access'>,
  input: Readonly<Record<string, unknown>>,
): 'read' | 'write' => (input.dryRun === true ? 'read' : access);

/**
 * Checks the input and the access, and runs the operation.
 *
 * @param given the input as JSON has it
 * @returns the output as JSON has it
 * @throws Refusal with a text for the user
 */
export async function runOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  { input, output: _, ...operation }: Operation<Input, Output>,
  call: Call,
  given: z.input<Input>,
): Promise<z.input<Output>> {
  const parsed = safeParse(input, given);
  if (!parsed.success) throw invalidField(parsed.error);
  try {
    await requireAccess(operation, call, parsed.data);
    // As it is sent: a result is the same wherever it was read.
    return JSON.parse(JSON.stringify(await operation.run(call, parsed.data)));
  } catch (error) {
    throw refusalOf(error, parsed.data) ?? error;
  }
}

const ofProject = z.object({ projectId: z.string() });

/** A user's projects are all that there is for them: what is in another one is not found. */
async function requireAccess(
  operation: Pick<Operation, 'access'>,
  call: Call,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { by } = call;
  const { data } = ofProject.safeParse(input);
  if (data !== undefined) await requireProject(call, data.projectId);
  const mayWrite = by.kind === 'operator' || by.access === 'write';
  if (!mayWrite && accessNeeded(operation, input) === 'write') throw forbidden(READ_ONLY);
}

/** The project, if the user who asks sees it. @throws Refusal where there is none for them */
export async function requireProject(call: Call, projectId: string): Promise<Project> {
  const project = await findProject(call, projectId);
  if (project === null) throw noProject(projectId);
  return project;
}

export async function findProject(
  { by, ctx: { db } }: Pick<Call, 'by' | 'ctx'>,
  projectId: string,
): Promise<Project | null> {
  if (by.kind === 'operator') return getProject(db, projectId);
  if (!tokenReaches(by, projectId)) return null;
  const found = await getProjectOf(db, { userId: by.userId, projectId });
  return found?.project ?? null;
}

/** The projects that the user who asks sees, in no order. */
export async function listProjectsFor(
  db: Parameters<typeof listProjectsWithOwner>[0],
  by: Asker,
  filter: { projectId?: string } = {},
): Promise<ProjectWithOwner[]> {
  if (by.kind === 'operator') return listProjectsWithOwner(db, filter);
  const projects = await listProjectsWithOwner(db, { ...filter, userId: by.userId });
  return projects.filter(({ projectId }) => tokenReaches(by, projectId));
}

export const noProject = (projectId: string) =>
  missing(`There is no project ${projectId}.`, 'projectId');

/** The context of a change in a project, whose transaction checks the right. */
export function changing(
  { ctx, by }: Pick<Call, 'by' | 'ctx'>,
  projectId: string,
  right: ProjectRight,
): VerbContext {
  if (by.kind === 'operator') return ctx;
  return { ...ctx, requires: { userId: by.userId, projectId, right } };
}

/** The refusal that an error of a verb stands for; null for any other error. */
function refusalOf(error: unknown, input: Readonly<Record<string, unknown>>): Refusal | null {
  if (error instanceof InvalidInputError) {
    const { problems } = error;
    const rules = problems.map(({ field, rule }) => `\`${field}\` ${rule}`);
    return badInput(`${rules.join('; ')}.`, { field: problems[0]?.field });
  }
  if (error instanceof RightRefusedError) {
    return error.role === null
      ? noProject(String(input.projectId))
      : forbidden(`Your role in this project is ${error.role}, which does not permit this.`);
  }
  if (error instanceof AdministratorRefusedError) return forbidden(NOT_ADMINISTRATOR);
  if (error instanceof TokenRefusedError) return tokenRefusal(error);
  return null;
}

/** A change checks the token again, which may have ended since the request was admitted. */
const tokenRefusal = ({ reason }: TokenRefusedError): Refusal =>
  reason === 'ended'
    ? new Refusal('The access token has just ended.', { status: 401, code: 'unauthorized' })
    : forbidden(TOKEN_REFUSALS[reason]);

const READ_ONLY = 'This access token may only read. Use one that may write.';
const TOKEN_REFUSALS = {
  read_only: READ_ONLY,
  listed_projects: 'This access token is for certain projects, and this is about none of them.',
  needs_session: 'No access token may do this: it is done in the console.',
} as const;

const NOT_ADMINISTRATOR = 'Only an administrator may change plans. Leave them out.';

/** Names the first field that is wrong. */
function invalidField(error: z.ZodError): Refusal {
  const { field, problem } = problemOf(error);
  if (field === null) return badInput(`The input ${problem}.`);
  return badInput(`\`${field}\` ${problem}.`, { field });
}
