import {
  type ApiKeyCreateResult,
  type ApiKeyLifecycleResult,
  type ApiKeySummary,
  createApiKeyRequestSchema,
  ERROR_MESSAGES,
  updateApiKeyRequestSchema,
} from '@ceiba/contract';
import { mintApiKey } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  getApiKey,
  revokeApiKey,
  type TransitionResult,
  updateApiKey,
} from '@ceiba/schema';
import { TransportError, unauthorized } from '../errors.ts';
import { parseBody, requireNoFields } from './body.ts';
import { noCustomer } from './customer-routes.ts';
import { dateOf } from './instants.ts';
import { listKeys } from './key-list.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const KEYS = '/rt/projects/:projectId/api-keys';

export const KEY_ROUTES: readonly ProjectRoute[] = [
  { method: 'GET', path: KEYS, answer: listKeys },
  { method: 'POST', path: KEYS, answer: create },
  { method: 'GET', path: `${KEYS}/:apiKeyId`, id: 'apiKeyId', answer: get },
  { method: 'PATCH', path: `${KEYS}/:apiKeyId`, id: 'apiKeyId', answer: update },
  { method: 'POST', path: `${KEYS}/:apiKeyId/revoke`, id: 'apiKeyId', answer: revoke },
  { method: 'POST', path: `${KEYS}/:apiKeyId/archive`, id: 'apiKeyId', answer: archive },
];

async function get({ run, projectId, id: apiKeyId }: ProjectCall): Promise<ApiKeySummary> {
  const apiKey = await run(({ db }) => getApiKey(db, { projectId, apiKeyId }));
  if (apiKey === null) throw notFound();
  return apiKey;
}

async function create({ run, projectId, body, random }: ProjectCall): Promise<ApiKeyCreateResult> {
  const { expiresAt, ...fields } = parseBody(createApiKeyRequestSchema, body);
  const mint = (brand: string) => mintApiKey(random, brand);
  const input = { projectId, mint, ...fields, expiresAt: dateOf(expiresAt) };
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

const PLANS = { plan: 'The plan', customer_plan: 'The plan of the customer' } as const;

const fullPlan = ({ activeKeyCap, of }: { activeKeyCap: number; of: keyof typeof PLANS }) =>
  new TransportError(
    'plan_limit_reached',
    ERROR_MESSAGES.plan_limit_reached(activeKeyCap, PLANS[of]),
  );

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
