import type { IncomingMessage } from 'node:http';
import {
  type ApiKeyCreateResult,
  type ApiKeyLifecycleResult,
  type ApiKeySummary,
  createApiKeyRequestSchema,
  emptyRequestSchema,
  setApiKeyExpiryRequestSchema,
} from '@ceiba/contract';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { digestOf, mintApiKey, type RandomBytes } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import type { SerialQueue } from '@ceiba/process/tasks';
import {
  archiveApiKey,
  createApiKey,
  type Database,
  getApiKey,
  type LookupRow,
  revokeApiKey,
  setApiKeyExpiry,
  type TransitionResult,
} from '@ceiba/schema';
import { Deadline } from '../deadline.ts';
import { projectOfSecret } from '../project-secret.ts';
import { parseBody, type ReadBody, readJsonBody } from './body.ts';
import { TransportError, unauthorized } from './errors.ts';
import { type KeyListCall, listKeys } from './key-list.ts';
import { parseUuid } from './parameters.ts';
import { type ErrorLog, errorReply, jsonReply, type Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';

export interface KeyRouteOptions {
  /** Finds the project through the lookups of decisions. */
  findProject(projectId: string, deadline: Deadline): Promise<LookupRow['project']>;
  /** Runs verbs within the deadline, on a pool that no decision uses. */
  run<T>(deadline: Deadline, work: (db: Database) => Promise<T>): Promise<T>;
  pageReads: SerialQueue;
  random: RandomBytes;
  errors: ErrorLog;
  log: Logger;
  deadlineMs: number;
}

interface Call extends KeyListCall {
  apiKeyId: string;
  body: ReadBody;
  random: RandomBytes;
}

interface KeyRoute {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Returns the body of the reply, whose status is 200. */
  answer(call: Call): Promise<unknown>;
}

const KEYS = '/rt/projects/:projectId/api-keys';

export const KEY_ROUTES: readonly KeyRoute[] = [
  { method: 'GET', path: KEYS, answer: listKeys },
  { method: 'POST', path: KEYS, answer: create },
  { method: 'GET', path: `${KEYS}/:apiKeyId`, answer: get },
  { method: 'PATCH', path: `${KEYS}/:apiKeyId`, answer: setExpiry },
  { method: 'POST', path: `${KEYS}/:apiKeyId/revoke`, answer: revoke },
  { method: 'POST', path: `${KEYS}/:apiKeyId/archive`, answer: archive },
];

const BODY_CAP_BYTES = 16 * 1024;

/** Answers one call of a key route. Checks the project's UUID, then the secret, then the rest. */
export async function answerKeyRoute(
  options: KeyRouteOptions,
  route: KeyRoute,
  incoming: IncomingMessage,
  parameters: { projectId: string; apiKeyId?: string | undefined },
): Promise<Reply> {
  const requestId = requestIdOf(incoming);
  const startedAt = performance.now();
  const deadline = new Deadline(options.deadlineMs);
  try {
    const projectId = parseUuid('projectId', parameters.projectId);
    await authenticate(options, incoming, projectId, deadline);
    const apiKeyId =
      parameters.apiKeyId === undefined ? '' : parseUuid('apiKeyId', parameters.apiKeyId);
    const body: ReadBody =
      route.method === 'GET'
        ? { kind: 'empty' }
        : await deadline.race('caller', readJsonBody(incoming, BODY_CAP_BYTES));
    const caller = {
      actor: { kind: 'project_secret' },
      clientAddress: addressOf(incoming),
      requestId,
    } as const;
    const result = await route.answer({
      run: (work) => options.run(deadline, (db) => work({ db, ...caller })),
      deadline,
      projectId,
      apiKeyId,
      body,
      pageReads: options.pageReads,
      random: options.random,
    });
    options.log.info(
      { requestId, method: route.method, route: route.path, projectId, ms: msSince(startedAt) },
      'key route',
    );
    return jsonReply(200, result, requestId);
  } catch (error) {
    return errorReply(error, requestId, options.errors);
  }
}

async function authenticate(
  options: KeyRouteOptions,
  incoming: IncomingMessage,
  projectId: string,
  deadline: Deadline,
): Promise<void> {
  const secret = incoming.headers[PROJECT_SECRET_HEADER];
  if (typeof secret !== 'string' || secret === '') throw unauthorized();
  const project = await options.findProject(projectId, deadline);
  if (projectOfSecret(project, digestOf(secret)) === null) throw unauthorized();
}

const addressOf = (incoming: IncomingMessage) => incoming.socket.remoteAddress ?? null;
const msSince = (startedAt: number) => Math.round(performance.now() - startedAt);

async function get({ run, projectId, apiKeyId }: Call): Promise<ApiKeySummary> {
  const apiKey = await run(({ db }) => getApiKey(db, { projectId, apiKeyId }));
  if (apiKey === null) throw notFound();
  return apiKey;
}

async function create({ run, projectId, body, random }: Call): Promise<ApiKeyCreateResult> {
  const { displayName } = parseBody(createApiKeyRequestSchema, body);
  const minted = mintApiKey(random);
  const result = await run((ctx) => createApiKey(ctx, { projectId, displayName, minted }));
  switch (result.kind) {
    case 'not_found': // the project was deleted after its secret was checked
      throw unauthorized();
    case 'plan_limit_reached':
      throw new TransportError(
        'plan_limit_reached',
        `The plan allows ${result.activeKeyCap} active keys. Revoke or archive one, or move to a higher plan.`,
      );
    case 'created': {
      const { apiKeyId, keyPrefix } = result;
      return { apiKeyId, displayName, keyPrefix, plaintextKey: minted.plaintext };
    }
  }
}

async function setExpiry({ run, projectId, apiKeyId, body }: Call): Promise<ApiKeySummary> {
  const request = parseBody(setApiKeyExpiryRequestSchema, body);
  const expiresAt = request.expiresAt === null ? null : new Date(request.expiresAt);
  const result = await run((ctx) => setApiKeyExpiry(ctx, { projectId, apiKeyId, expiresAt }));
  return keyOrThrow(result, 'Only an active key can be given another expiry');
}

async function revoke(call: Call): Promise<ApiKeyLifecycleResult> {
  requireNoFields(call.body);
  const result = await call.run((ctx) => revokeApiKey(ctx, call));
  keyOrThrow(result, 'An archived key cannot be revoked');
  return { apiKeyId: call.apiKeyId, status: 'revoked' };
}

async function archive(call: Call): Promise<ApiKeyLifecycleResult> {
  requireNoFields(call.body);
  const result = await call.run((ctx) => archiveApiKey(ctx, call));
  keyOrThrow(result, 'A revoked key cannot be archived');
  return { apiKeyId: call.apiKeyId, status: 'archived' };
}

/** Revoke and archive take `{}`, or no body at all. */
function requireNoFields(body: ReadBody): void {
  if (body.kind !== 'empty') parseBody(emptyRequestSchema, body);
}

/** @param rule what a conflict breaks, as the beginning of the message */
function keyOrThrow(result: TransitionResult, rule: string): ApiKeySummary {
  switch (result.kind) {
    case 'not_found':
      throw notFound();
    case 'conflict':
      throw new TransportError('conflict', `${rule}; this one is ${result.status}.`);
    case 'updated':
    case 'unchanged':
      return result.apiKey;
  }
}

const notFound = () => new TransportError('not_found', 'The project has no such key.');
