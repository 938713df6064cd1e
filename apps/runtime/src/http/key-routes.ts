import {
  type ApiKeyCreateResult,
  type ApiKeyLifecycleResult,
  type ApiKeySummary,
  createApiKeyRequestSchema,
  updateApiKeyRequestSchema,
} from '@ceiba/contract';
import { archiveApiKey, createApiKey, getApiKey, revokeApiKey, updateApiKey } from '@ceiba/schema';
import { unauthorized } from '../errors.ts';
import { parseBody, requireNoFields } from './body.ts';
import { noCustomer } from './customer-routes.ts';
import { dateOf } from './instants.ts';
import { listKeys } from './key-list.ts';
import { fullPlan, keyOf, keyOrThrow, mintFrom, noKey } from './key-replies.ts';
import { endPreviousSecret, rotate } from './key-secrets.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const KEYS = '/rt/projects/:projectId/api-keys';
const KEY = { path: `${KEYS}/:apiKeyId`, id: 'apiKeyId' } as const;

export const KEY_ROUTES: readonly ProjectRoute[] = [
  { method: 'GET', path: KEYS, answer: listKeys },
  { method: 'POST', path: KEYS, answer: create },
  { ...KEY, method: 'GET', answer: get },
  { ...KEY, method: 'PATCH', answer: update },
  { ...KEY, method: 'POST', path: `${KEY.path}/revoke`, answer: revoke },
  { ...KEY, method: 'POST', path: `${KEY.path}/archive`, answer: archive },
  { ...KEY, method: 'POST', path: `${KEY.path}/rotate`, answer: rotate },
  { ...KEY, method: 'POST', path: `${KEY.path}/end-previous-secret`, answer: endPreviousSecret },
];

async function get({ run, projectId, id: apiKeyId }: ProjectCall): Promise<ApiKeySummary> {
  const apiKey = await run(({ db }) => getApiKey(db, { projectId, apiKeyId }));
  if (apiKey === null) throw noKey();
  return apiKey;
}

async function create({ run, projectId, body, random }: ProjectCall): Promise<ApiKeyCreateResult> {
  const { expiresAt, ...fields } = parseBody(createApiKeyRequestSchema, body);
  const input = { projectId, mint: mintFrom(random), ...fields, expiresAt: dateOf(expiresAt) };
  const result = await run((ctx) => createApiKey(ctx, input));
  switch (result.kind) {
    case 'not_found': // the project was deleted after its secret was checked
      throw unauthorized();
    case 'unknown_customer':
      throw noCustomer();
    case 'plan_limit_reached':
      throw fullPlan(result);
    case 'created': {
      const { kind: _, ...created } = result;
      return created;
    }
  }
}

async function update({ run, projectId, id, body }: ProjectCall): Promise<ApiKeySummary> {
  const { expiresAt, ...fields } = parseBody(updateApiKeyRequestSchema, body);
  const input = { projectId, apiKeyId: id, ...fields, expiresAt: dateOf(expiresAt) };
  const result = await run((ctx) => updateApiKey(ctx, input));
  switch (result.kind) {
    case 'unknown_customer':
      throw noCustomer();
    case 'plan_limit_reached':
      throw fullPlan(result);
    default:
      return keyOrThrow(result, 'Only an active key can be changed');
  }
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
