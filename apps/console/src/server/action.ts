import 'server-only';
import { mayDo, type ProjectRight, type ProjectRole } from '@ceiba/domain';
import {
  AdministratorRefusedError,
  getProjectOf,
  InvalidInputError,
  type Project,
  type ProjectAccess,
  RightRefusedError,
  type VerbContext,
} from '@ceiba/schema';
import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { unstable_rethrow } from 'next/navigation';
import { z } from 'zod';
import { env } from '../env.ts';
import {
  type ActionState,
  FILL_THIS_IN,
  type FormAction,
  fieldsOf,
  type Refusal,
  type RefusalCode,
  refused,
  typedValues,
} from '../lib/action-state.ts';
import { sentence } from '../lib/text.ts';
import { DatabaseUnavailableError, unlessTooSlow } from './database.ts';
import { type DatabaseContext, type InDatabase, inDatabaseAs } from './in-database.ts';
import { log } from './log.ts';
import { isOwnOrigin } from './origin.ts';
import { currentUser, type SignedInUser } from './session.ts';

/**
 * Creates server actions, the only way in which a page changes data. Each action checks the origin,
 * the session, the right and the input itself, whatever is in front of the console.
 */

/** Ends an action with an error that the form shows. Thrown by {@link refuse}. */
class Refused extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly text: string | undefined,
    readonly fieldErrors: Record<string, string>,
    readonly keepsPage = false,
  ) {
    super(code);
  }
}

interface RefuseOptions {
  /**
   * The page is about something that is gone: "Page not found" would replace the form with all that
   * was typed, so the page is not revalidated.
   */
  keepsPage?: boolean | undefined;
}

/** Refuses the form: one sentence that says why and how to fix it. */
export function refuse(
  code: RefusalCode,
  text: string,
  { keepsPage = false }: RefuseOptions = {},
): never {
  throw new Refused(code, text, {}, keepsPage);
}

/** Refuses one field: the sentence is shown beside it. */
export function refuseField(field: string, text: string): never {
  throw new Refused('invalid', undefined, { [field]: text });
}

interface Definition<Input extends z.ZodType, Context, Data> {
  /** Parses the form's fields, which are strings. An empty field is absent. */
  input: Input;
  run: (context: Context, input: z.output<Input>) => Promise<Data>;
  /** The action changes nothing, so no page is revalidated. */
  readsOnly?: true;
  /**
   * The action returns a secret. Its answer contains no page, because an error page would replace the
   * secret. `SecretReveal` revalidates the pages when it is closed.
   */
  showsOnce?: true;
}

/** Actions on accounts open their own transactions, because they hash passwords in between. */
export interface PublicContext {
  inDatabase: InDatabase;
}
export interface UserContext extends PublicContext {
  user: SignedInUser;
}
/** All other actions run within one time budget of the database. */
export interface AdministratorContext {
  ctx: DatabaseContext;
  user: SignedInUser;
}
export interface ProjectContext extends AdministratorContext {
  projectId: string;
}
export interface QueryContext extends AdministratorContext {
  project: Project;
  role: ProjectRole;
}

/** Requires no session; used by sign-up. The page is not revalidated, because its form still signs in. */
export function publicAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, PublicContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const input = parse(definition.input, form);
    return definition.run({ inDatabase: inDatabaseAs({ kind: 'system' }) }, input);
  };
  return guarded(run, { afterSuccess: false, afterStale: false });
}

/**
 * Requires a session.
 *
 * @param definition with `setsUpSecondFactor` for what a user may do who has none although it is required
 */
export function userAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, UserContext, Data> & { setsUpSecondFactor?: true },
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser(definition);
    const input = parse(definition.input, form);
    return definition.run({ inDatabase: inDatabaseAs(actorOf(user)), user }, input);
  };
  return guarded(run, refreshesOf(definition));
}

/**
 * Requires an administrator. To other users the action does not exist. Each transaction of the action
 * checks the role again, so that one that was taken away meanwhile changes nothing.
 */
export function administratorAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, AdministratorContext, Data>,
): FormAction<Data> {
  return administratorAccountAction({
    ...definition,
    run: ({ inDatabase, user }, input) => inDatabase((ctx) => definition.run({ ctx, user }, input)),
  });
}

/** As {@link administratorAction}, for a change that the administrator's own password has to prove. */
export function administratorAccountAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, UserContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    if (!user.isAdministrator) refuse('not_found', NOT_FOUND, { keepsPage: true });
    const input = parse(definition.input, form);
    const inDatabase = inDatabaseAs(actorOf(user), { administrator: user });
    return definition.run({ inDatabase, user }, input);
  };
  return guarded(run, refreshesOf(definition));
}

const projectIdSchema = z.object({ projectId: z.guid() });

/**
 * A change that requires a right in the project of the field `projectId`. The transaction of each verb
 * checks the right, so that a role that was taken away meanwhile changes nothing: do not read anything
 * of the project before it. Without a role in the project the user gets `not_found`, with a role that
 * lacks the right `forbidden`, whatever is wrong with the input.
 */
export function projectAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, ProjectContext, Data> & { right: ProjectRight; readsOnly?: never },
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    const projectId = projectIdIn(form);
    const requires = { userId: user.userId, projectId, right: definition.right };
    try {
      const input = parse(definition.input, form);
      const inProject = inDatabaseAs(actorOf(user), requires);
      return await inProject((ctx) => definition.run({ ctx, user, projectId }, input));
    } catch (error) {
      if (isInvalid(error)) {
        await inDatabaseAs(actorOf(user))(({ db }) => permitted(db, requires));
      }
      throw error;
    }
  };
  return guarded(run, refreshesOf(definition));
}

/** As {@link projectAction}, for an action that only reads: it has the project, and its right is checked first. */
export function projectQuery<Input extends z.ZodType, Data>(
  definition: Definition<Input, QueryContext, Data> & { right: ProjectRight },
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    const ref = { userId: user.userId, projectId: projectIdIn(form), right: definition.right };
    return inDatabaseAs(actorOf(user))(async (ctx) => {
      const found = await permitted(ctx.db, ref);
      return definition.run({ ctx, user, ...found }, parse(definition.input, form));
    });
  };
  return guarded(run, refreshesOf({ readsOnly: true }));
}

function projectIdIn(form: FormData): string {
  const named = projectIdSchema.safeParse(fieldsOf(form));
  if (!named.success) refuse('not_found', NOT_FOUND, { keepsPage: true });
  return named.data.projectId;
}

/** The project, if the user has the right in it. */
async function permitted(db: VerbContext['db'], { right, ...ref }: ProjectAccess) {
  const found = await getProjectOf(db, ref);
  if (found === null || !mayDo(found.role, right)) throw withoutRight(found?.role ?? null);
  return found;
}

const isInvalid = (error: unknown): boolean =>
  error instanceof InvalidInputError || (error instanceof Refused && error.code === 'invalid');

/** Keeps the page, so that nothing that was typed is lost. */
function withoutRight(role: ProjectRole | null): Refused {
  if (role === null) return new Refused('not_found', NOT_FOUND, {}, true);
  const text = `Your role in this project is ${role}, which does not permit this. Ask the owner to change it.`;
  return new Refused('forbidden', text, {}, true);
}

const NOT_FOUND = 'It no longer exists, or it belongs to another account. Nothing was changed.';

/** When to revalidate the pages. */
interface Refreshes {
  afterSuccess: boolean;
  afterStale: boolean;
}

const refreshesOf = ({
  readsOnly,
  showsOnce,
}: {
  readsOnly?: true;
  showsOnce?: true;
}): Refreshes => ({
  afterSuccess: !readsOnly && !showsOnce,
  afterStale: !readsOnly,
});

function guarded<Data>(
  work: (form: FormData) => Promise<Data>,
  { afterSuccess, afterStale }: Refreshes,
): FormAction<Data> {
  return async (_state, form): Promise<ActionState<Data>> => {
    // A client can send anything as arguments.
    const sent = form instanceof FormData ? form : new FormData();
    try {
      if (!isOwnOrigin(await headers(), env().publicOrigin)) {
        refuse('foreign_origin', `Open the console at ${env().publicOrigin} and try again there.`);
      }
      const data = await work(sent);
      if (afterSuccess) revalidate();
      return { kind: 'done', data, at: Date.now() };
    } catch (error) {
      unstable_rethrow(error);
      const refused = error instanceof Refused ? error : await refusedBy(error, sent);
      if (afterStale && STALE.has(refused.code) && !refused.keepsPage) revalidate();
      return refusalOf(refused, sent);
    }
  };
}

/** Refusals that mean that the page is out of date. */
const STALE: ReadonlySet<RefusalCode> = new Set(['conflict', 'not_found', 'limit_reached']);

/** Revalidates the page and clears the browser's cache of pages. */
const revalidate = () => revalidatePath('/', 'layout');

/** The one guard of every action that needs a session. */
async function signedInUser({
  setsUpSecondFactor = false,
}: {
  setsUpSecondFactor?: boolean;
} = {}): Promise<SignedInUser> {
  const user = await currentUser();
  if (user === null) refuse('signed_out', SIGNED_OUT);
  if (user.mustAddSecondFactor && !setsUpSecondFactor) {
    refuse('forbidden', NO_SECOND_FACTOR, { keepsPage: true });
  }
  return user;
}

const NO_SECOND_FACTOR =
  'A second factor is required here. Set one up on your account page first. Nothing was changed.';
const SIGNED_OUT = 'You are signed out. Sign in in another tab, then try again.';

const actorOf = (user: SignedInUser) =>
  ({ kind: 'user', userId: user.userId, email: user.email }) as const;

function parse<Input extends z.ZodType>(schema: Input, form: FormData): z.output<Input> {
  const fields = fieldsOf(form);
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const fieldErrors: Record<string, string> = {};
  for (const { code, path, message } of result.error.issues) {
    const field = String(path[0] ?? '');
    const isMissing = fields[field] === undefined && code.startsWith('invalid_');
    fieldErrors[field] ??= isMissing ? FILL_THIS_IN : sentence(message);
  }
  throw new Refused('invalid', undefined, fieldErrors);
}

const refusalOf = ({ code, text, fieldErrors }: Refused, form: FormData): Refusal =>
  refused(code, {
    ...(text !== undefined && { message: text }),
    fieldErrors,
    values: typedValues(form),
  });

/** What a verb refused by an error; logs an outage or a bug. */
async function refusedBy(error: unknown, form: FormData): Promise<Refused> {
  if (error instanceof RightRefusedError) return withoutRight(error.role);
  if (error instanceof InvalidInputError) {
    const fields = fieldsOf(form);
    const errors = error.problems.map(({ field, rule }) => [
      field,
      fields[field] === undefined ? FILL_THIS_IN : sentence(rule),
    ]);
    return new Refused('invalid', undefined, Object.fromEntries(errors));
  }
  if (error instanceof AdministratorRefusedError) {
    return error.reason === 'outdated'
      ? new Refused('signed_out', SIGNED_OUT, {})
      : new Refused('forbidden', NO_ADMINISTRATOR, {}, true);
  }
  if (error instanceof DatabaseUnavailableError) {
    const why = await unlessTooSlow(error).catch(() => 'unavailable' as const);
    if (why === 'too_many') return new Refused('rate_limited', TOO_MANY, {});
    log.error({ err: error }, 'action.database_unavailable');
    return new Refused('unavailable', why === 'too_slow' ? TOO_SLOW : UNAVAILABLE, {});
  }
  log.error({ err: error }, 'action.failed');
  return new Refused('internal', INTERNAL, {});
}

const NO_ADMINISTRATOR = 'You are no longer an administrator. Nothing was changed.';
const TOO_MANY =
  'Too many of your requests are under way. Your input is kept; try again in a moment.';
const TOO_SLOW =
  'This takes too long. Your input is kept; try again in a moment, or reload to see what was saved.';
const UNAVAILABLE =
  'The database is not answering. Your input is kept; try again in a moment, or reload to see what was saved.';
const INTERNAL =
  'Something went wrong; the error is in the console’s log. Your input is kept; reload to see what was saved.';
