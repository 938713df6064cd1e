import 'server-only';
import { getOwnedProject, type Project } from '@ceiba/schema';
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
  typedValues,
} from '../lib/action-state.ts';
import { DatabaseUnavailableError } from './database.ts';
import { type DatabaseContext, type InDatabase, inDatabaseAs } from './in-database.ts';
import { log } from './log.ts';
import { isOwnOrigin } from './origin.ts';
import { currentUser, type SignedInUser } from './session.ts';

/**
 * The only way in which a page changes anything. Each action that is made here checks the origin,
 * the session, the owner and the input, whatever stands in front of it. An action
 * defines only what happens after that.
 */

/** Ends an action with a reason that the form shows; thrown by {@link refuse}. */
class Refused extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly text: string | undefined,
    readonly fieldErrors: Record<string, string>,
  ) {
    super(code);
  }
}

/** Refuses the form as a whole: one sentence that says why and how to fix it. */
export function refuse(code: RefusalCode, text: string): never {
  throw new Refused(code, text, {});
}

/** Refuses because of one field: the sentence stands beside it. */
export function refuseField(field: string, text: string): never {
  throw new Refused('invalid', undefined, { [field]: text });
}

interface Definition<Input extends z.ZodType, Context, Data> {
  /** Parses the form's fields, each a string; an absent or empty one is absent. */
  input: Input;
  run: (context: Context, input: z.output<Input>) => Promise<Data>;
  /** It changes nothing, so no page is revalidated. */
  readsOnly?: true;
  /**
   * It hands over what is shown once. The answer brings no page, for one that cannot be read would
   * take the place of what is shown; `SecretReveal` revalidates the pages when it is closed.
   */
  showsOnce?: true;
}

/** Actions on accounts take their turns in the database themselves, for they hash in between. */
export interface PublicContext {
  inDatabase: InDatabase;
}
export interface UserContext extends PublicContext {
  user: SignedInUser;
}
/** The others are one turn in the database from beginning to end. */
export interface AdministratorContext {
  ctx: DatabaseContext;
  user: SignedInUser;
}
export interface ProjectContext extends AdministratorContext {
  project: Project;
}

/** For anybody: sign-up alone. The page stays as it is, for its form still has to sign in. */
export function publicAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, PublicContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const input = parse(definition.input, form);
    return definition.run({ inDatabase: inDatabaseAs({ kind: 'system' }) }, input);
  };
  return guarded(run, { afterSuccess: false, afterStale: false });
}

/** Requires a session. */
export function userAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, UserContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    const input = parse(definition.input, form);
    return definition.run({ inDatabase: inDatabaseAs(actorOf(user)), user }, input);
  };
  return guarded(run, refreshesOf(definition));
}

/** For an administrator; to anybody else it does not exist. */
export function administratorAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, AdministratorContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    if (!user.isAdministrator) refuse('not_found', NOT_FOUND);
    const input = parse(definition.input, form);
    return inDatabaseAs(actorOf(user))((ctx) => definition.run({ ctx, user }, input));
  };
  return guarded(run, refreshesOf(definition));
}

const projectIdSchema = z.object({ projectId: z.guid() });

/** For the owner of the project whose `projectId` is among the fields; to others it is not found. */
export function projectAction<Input extends z.ZodType, Data>(
  definition: Definition<Input, ProjectContext, Data>,
): FormAction<Data> {
  const run = async (form: FormData) => {
    const user = await signedInUser();
    const named = projectIdSchema.safeParse(fieldsOf(form));
    if (!named.success) refuse('not_found', NOT_FOUND);
    return inDatabaseAs(actorOf(user))(async (ctx) => {
      const ref = { ownerId: user.userId, projectId: named.data.projectId };
      const project = await getOwnedProject(ctx.db, ref);
      if (project === null) refuse('not_found', NOT_FOUND);
      return definition.run({ ctx, user, project }, parse(definition.input, form));
    });
  };
  return guarded(run, refreshesOf(definition));
}

const NOT_FOUND = 'It no longer exists, or belongs to another account. Reload the page.';

/** Which answers revalidate the pages. */
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
    // An action's arguments are whatever the sender made them.
    const sent = form instanceof FormData ? form : new FormData();
    try {
      if (!isOwnOrigin(await headers(), env().publicOrigin)) {
        refuse('foreign_origin', `Open the console at ${env().publicOrigin} and try again there.`);
      }
      const data = await work(sent);
      if (afterSuccess) showWhatIs();
      return { kind: 'done', data, at: Date.now() };
    } catch (error) {
      unstable_rethrow(error);
      const refusal = refusalFor(error, sent);
      if (afterStale && STALE.has(refusal.code)) showWhatIs();
      return refusal;
    }
  };
}

/** Refusals which say that the page shows what is no longer so. */
const STALE: ReadonlySet<RefusalCode> = new Set(['conflict', 'not_found', 'limit_reached']);

/** Revalidates the page, and clears the browser's cache of pages. */
const showWhatIs = () => revalidatePath('/', 'layout');

async function signedInUser(): Promise<SignedInUser> {
  const user = await currentUser();
  if (user !== null) return user;
  refuse('signed_out', 'You are signed out. Sign in in another tab, then press the button again.');
}

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

/** Rules complete "this …" (`must not be empty`); beside a field that stands alone. */
function sentence(rule: string): string {
  const text = rule.charAt(0).toUpperCase() + rule.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function refusalFor(error: unknown, form: FormData): Refusal {
  const said = error instanceof Refused ? error : faultFor(error);
  return {
    kind: 'refused',
    code: said.code,
    ...(said.text === undefined ? {} : { message: said.text }),
    fieldErrors: said.fieldErrors,
    values: typedValues(form),
    at: Date.now(),
  };
}

function faultFor(error: unknown): Refused {
  if (error instanceof DatabaseUnavailableError) {
    log.error('action.database_unavailable', { message: error.message });
    return new Refused('unavailable', UNAVAILABLE, {});
  }
  log.error('action.failed', { fault: error });
  return new Refused('internal', INTERNAL, {});
}

const UNAVAILABLE =
  'The database is not answering. What you typed is kept; reload to see what was saved, or try again in a moment.';
const INTERNAL =
  'The console failed, and the fault is in its log. What you typed is kept; reload to see what was saved.';
