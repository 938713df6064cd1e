import {
  type ApiKeyCreateResult,
  type ApiKeyLifecycleResult,
  type ApiKeySummary,
  createApiKeyRequestSchema,
  ERROR_MESSAGES,
  emptyRequestSchema,
  setApiKeyExpiryRequestSchema,
} from '@ceiba/contract';
import { mintApiKey } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  getApiKey,
  revokeApiKey,
  setApiKeyExpiry,
  type TransitionResult,
} from '@ceiba/schema';
import { TransportError, unauthorized } from '../errors.ts';
import { parseBody, type ReadBody } from './body.ts';
import { listKeys } from './key-list.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const KEYS = '/rt/projects/:projectId/api-keys';

export const KEY_ROUTES: readonly ProjectRoute[] = [
  { method: 'GET', path: KEYS, answer: listKeys },
  { method: 'POST', path: KEYS, answer: create },
  { method: 'GET', path: `${KEYS}/:apiKeyId`, id: 'apiKeyId', answer: get },
  { method: 'PATCH', path: `${KEYS}/:apiKeyId`, id: 'apiKeyId', answer: setExpiry },
  { method: 'POST', path: `${KEYS}/:apiKeyId/revoke`, id: 'apiKeyId', answer: revoke },
  { method: 'POST', path: `${KEYS}/:apiKeyId/archive`, id: 'apiKeyId', answer: archive },
];

async function get({ run, projectId, id: apiKeyId }: ProjectCall): Promise<ApiKeySummary> {
  const apiKey = await run(({ db }) => getApiKey(db, { projectId, apiKeyId }));
  if (apiKey === null) throw notFound();
  return apiKey;
}

async function create({ run, projectId, body, random }: ProjectCall): Promise<ApiKeyCreateResult> {
  const { displayName } = parseBody(createApiKeyRequestSchema, body);
  const minted = mintApiKey(random);
  const result = await run((ctx) => createApiKey(ctx, { projectId, displayName, minted }));
  switch (result.kind) {
    case 'not_found': // the project was deleted after its secret was checked
      throw unauthorized();
    case 'plan_limit_reached':
      throw new TransportError(
        'plan_limit_reached',
        ERROR_MESSAGES.plan_limit_reached(result.activeKeyCap),
      );
    case 'created': {
      const { apiKeyId, keyPrefix } = result;
      return { apiKeyId, displayName, keyPrefix, plaintextKey: minted.plaintext };
    }
  }
}

async function setExpiry(call: ProjectCall): Promise<ApiKeySummary> {
  const { run, projectId, id: apiKeyId, body } = call;
  const request = parseBody(setApiKeyExpiryRequestSchema, body);
  const expiresAt = request.expiresAt === null ? null : new Date(request.expiresAt);
  const result = await run((ctx) => setApiKeyExpiry(ctx, { projectId, apiKeyId, expiresAt }));
  return keyOrThrow(result, 'Only an active key can be given another expiry');
}

async function revoke(call: ProjectCall): Promise<ApiKeyLifecycleResult> {
  requireNoFields(call.body);
  const result = await call.run((ctx) => revokeApiKey(ctx, keyOf(call)));
  keyOrThrow(result, 'An archived key cannot be revoked');
  return { apiKeyId: call.id, status: 'revoked' };
}

async function archive(call: ProjectCall): Promise<ApiKeyLifecycleResult> {
  requireNoFields(call.body);
  const result = await call.run((ctx) => archiveApiKey(ctx, keyOf(call)));
  keyOrThrow(result, 'A revoked key cannot be archived');
  return { apiKeyId: call.id, status: 'archived' };
}

const keyOf = ({ projectId, id }: ProjectCall) => ({ projectId, apiKeyId: id });

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
      throw new TransportError('conflict', ERROR_MESSAGES.conflict(rule, result.status));
    case 'updated':
    case 'unchanged':
      return result.apiKey;
  }
}

const notFound = () => new TransportError('not_found', ERROR_MESSAGES.not_found);
