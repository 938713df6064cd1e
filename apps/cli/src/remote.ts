import { withoutCredentials } from '@ceiba/contract/redaction';
import { isWellFormedAccessToken } from '@ceiba/domain';
import {
  accessNeeded,
  isOutput,
  type ManageRequest,
  type Operation,
  refusalIn,
  requestFor,
} from '@ceiba/manage';
import { z } from 'zod';
import { type Address, readServer } from './env.ts';
import { badInput, failure, MAYBE_CHANGED, OutageError, UnconfirmedError } from './errors.ts';
import type { World } from './world.ts';

/** Runs an operation; its input and output are JSON. @throws Refusal */
export type Perform = <Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  input: z.input<Input>,
) => Promise<z.input<Output>>;

/** Longer than the console takes for the longest file. */
const ANSWER_MS_MAX = 60_000;

/** The console that runs the operations, and the token with which it lets them run. */
interface Server extends Address {
  token: string;
}

/**
 * The console of `--server` or CEIBA_SERVER; null without either.
 *
 * @throws CliError where its access token is missing
 */
export function serverOf(world: World): Server | null {
  const { server, token } = readServer(world.env, world.server);
  if (server === undefined) return null;
  if (token === undefined) {
    throw badInput(
      `No access token is set. Set CEIBA_TOKEN to one: ${server.url}/account creates it.`,
      { field: 'CEIBA_TOKEN' },
    );
  }
  if (isWellFormedAccessToken(token)) return { ...server, token };
  throw badInput('CEIBA_TOKEN is not a whole access token, which begins with ceiba_token_.', {
    field: 'CEIBA_TOKEN',
  });
}

/** A console that was asked something. */
interface Asked extends Server {
  isChange: boolean;
}

/** Runs operations through a console, with the rights of the access token's user. */
export function remotely(console: Server): Perform {
  return async (operation, input) => {
    const server = { ...console, isChange: accessNeeded(operation, input) === 'write' };
    const response = await send(server, requestFor(operation, input));
    const body = await bodyOf(server, response);
    if (response.status === 200 && isOutput(operation.output, body)) return body;
    throw refusalIn(response.status, body) ?? unexpected(server, response, body);
  };
}

async function send(server: Asked, { path, headers, ...request }: ManageRequest) {
  return fetch(new URL(path, server.url), {
    ...request,
    headers: { ...headers, authorization: `Bearer ${server.token}` },
    // The token is for this address alone.
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
}

async function bodyOf(server: Asked, response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(server, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const nameOf = ({ url }: Server) => `The console at ${url}`;

/** Of a connection that was not made: nothing was sent over it. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

function unreachable(server: Asked, error: unknown): OutageError {
  const { name, cause } = error instanceof Error ? error : { name: '', cause: null };
  const reason =
    cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : name;
  const problem = name === 'TimeoutError' ? `no answer in ${ANSWER_MS_MAX / 1_000} s` : reason;
  const text =
    `${nameOf(server)} cannot be reached (${problem}; address from ${server.source}). ` +
    'Check the address, and that the console runs and accepts connections.';
  return NOT_SENT.has(reason) || !server.isChange ? new OutageError(text) : unconfirmed(text);
}

const unconfirmed = (text: string) => new UnconfirmedError(`${text} ${MAYBE_CHANGED}`);

const errorSchema = z.looseObject({ message: z.string() });

/** What an answer means that is no result and no refusal of an operation. */
function unexpected(server: Asked, { status, headers }: Response, body: unknown) {
  const location = headers.get('location');
  if (location !== null) {
    const target = withoutCredentials(location);
    return failure(`${nameOf(server)} leads to ${target}. Give that address with --server.`);
  }
  const message = errorSchema.safeParse(body).data?.message;
  if (status === 401) {
    return failure(
      `${nameOf(server)} refuses the access token in CEIBA_TOKEN: it is expired, revoked or unknown. ` +
        `Create another one at ${server.url}/account.`,
    );
  }
  if (message === undefined || status === 200 || status === 404) {
    const text =
      `${nameOf(server)} answers ${status} with something else than this command expects. ` +
      'Check the address, and that the console is not of an earlier version.';
    // A proxy answers so too, after it passed the request on.
    const isOpen = server.isChange && (status === 200 || status >= 500);
    return isOpen ? unconfirmed(text) : failure(text);
  }
  const text = `${nameOf(server)} answers ${status}: ${message}`;
  if (status < 500) return failure(text);
  // The console itself says where a change may have been made.
  return server.isChange ? new UnconfirmedError(text) : new OutageError(text);
}
