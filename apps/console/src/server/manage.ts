import 'server-only';
import { randomBytes, randomUUID } from 'node:crypto';
import { withoutCredentials } from '@ceiba/contract/redaction';
import {
  type Asker,
  findOperation,
  inputOf,
  MANAGE_PATH,
  type Operation,
  Refusal,
  refusalBody,
  runOperation,
} from '@ceiba/manage';
import openApi from '@ceiba/manage/openapi.json';
import { authenticateAccessToken, type Database, UnconfirmedCommitError } from '@ceiba/schema';
import { env } from '../env.ts';
import { clientAddress } from './client-address.ts';
import { inShare, shareOfAddress } from './current-share.ts';
import { isDatabaseReady, TooManyCallsError, withDatabase, withSlowDatabase } from './database.ts';
import { log } from './log.ts';
import { ChangeFault, outageText } from './manage-outage.ts';

/** What the handler itself refuses, apart from operations. */
class Answered extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/**
 * Answers a request of the management API: an operation, run with the rights of the access token's user.
 * Only the token counts, never a cookie, so that no page of another site can send one.
 */
export async function answerManage(request: Request): Promise<Response> {
  const requestId = randomUUID();
  try {
    return json(200, await answerOf(request, requestId), requestId);
  } catch (error) {
    return errorAnswer(error, requestId);
  }
}

async function answerOf(request: Request, requestId: string): Promise<unknown> {
  const { pathname, searchParams: query } = new URL(request.url);
  // It says nothing of the installation, so it needs no token.
  if (request.method === 'GET' && pathname === `${MANAGE_PATH}/openapi.json`) return openApi;
  const found = findOperation(request.method, pathname);
  if (found === null) throw new Answered(404, 'not_found', 'There is no such address.');
  if ('allow' in found) throw wrongMethod(found.allow);
  const user = await requireToken(request);
  const { operation, fields } = found;
  const input = inputOf(operation, { fields, query, body: await bodyOf(request) });
  const { userId, email, tokenId, name } = user;
  return inShare(userId, () =>
    poolFor(operation)((db) => {
      const ctx = {
        db,
        actor: { kind: 'user', userId, email, token: { tokenId, name } } as const,
        clientAddress: clientAddress(request.headers, env().trustedProxyHops),
        requestId,
      };
      return runOperation(operation, { ctx, db, by: user, random: randomBytes }, input);
    }).catch((error: unknown) => {
      const mayChange = operation.access === 'write' && !isRehearsal(input);
      const isKnown = [Refusal, TooManyCallsError, UnconfirmedCommitError].some(
        (kind) => error instanceof kind,
      );
      throw mayChange && !isKnown ? new ChangeFault('a change failed', { cause: error }) : error;
    }),
  );
}

const isRehearsal = ({ dryRun }: Record<string, unknown>) => dryRun === true || dryRun === '1';

const poolFor = ({ isLong }: Operation) => (isLong ? withSlowDatabase : withDatabase);

const wrongMethod = (methods: readonly string[]) => {
  const allow = methods.join(', ');
  const message = `This address has the method ${allow}.`;
  return new Answered(405, 'method_not_allowed', message, { allow });
};

/**
 * The user of the request's access token, read again on every request. It counts in the share of the
 * client's address: tokens that are guessed keep no one else waiting.
 */
async function requireToken({ headers }: Request): Promise<Asker & { kind: 'user' }> {
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const user =
    token === undefined
      ? null
      : await inShare(shareOfAddress(headers), () =>
          withDatabase((db: Database) => authenticateAccessToken(db, token)),
        );
  if (user === null) throw unauthorized();
  return { kind: 'user', ...user };
}

const unauthorized = () =>
  new Answered(
    401,
    'unauthorized',
    'The access token is missing, expired, revoked or unknown. Send one as "Authorization: Bearer ceiba_token_…"; the account page of the console creates it.',
    { 'www-authenticate': 'Bearer realm="ceiba"' },
  );

async function bodyOf(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Answered(400, 'invalid_request', 'The body must be UTF-8 text.');
  }
}

async function errorAnswer(error: unknown, requestId: string): Promise<Response> {
  if (error instanceof Refusal) {
    return json(error.status, refusalBody(error, requestId), requestId);
  }
  const { status, error: code, message, headers } = await answeredOf(error, requestId);
  return json(status, { error: code, message, requestId }, requestId, headers);
}

async function answeredOf(error: unknown, requestId: string): Promise<Answered> {
  if (error instanceof Answered) return error;
  if (error instanceof UnconfirmedCommitError) return unavailable(UNCONFIRMED);
  if (error instanceof TooManyCallsError) return unavailable(TOO_MANY);
  const outage = await outageText(error, isDatabaseReady);
  if (outage !== null) {
    log.error({ err: error, requestId }, 'manage.database_unavailable');
    return unavailable(outage);
  }
  log.error({ err: error, requestId }, 'manage.failed');
  return new Answered(500, 'internal', 'Something went wrong; the console’s log has the error.');
}

const unavailable = (message: string) =>
  new Answered(503, 'unavailable', message, { 'retry-after': '5' });

const UNCONFIRMED =
  'Postgres made the change, but its standby did not confirm it in time: a failover may undo it. Once the standby is back, check that the change is still there.';
const TOO_MANY = 'Too many requests of this user are under way. Try again in a moment.';

const json = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Record<string, string> = {},
): Response =>
  new Response(withoutCredentialsIn(status, body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  });

/** Only what was asked for has a credential: a new key, or the secret of a new project. */
const withoutCredentialsIn = (status: number, body: unknown): string => {
  const text = JSON.stringify(body);
  return status === 200 ? text : withoutCredentials(text);
};
