import {
  type ApiKeyCreateResult,
  type ApiKeyLifecycleResult,
  type ApiKeySummary,
  apiKeyQuerySchema,
  createApiKeyRequestSchema,
  dateOf,
  IDEMPOTENCY_KEY_HEADER,
  IMPORT_BYTES_MAX,
  idempotencyKeySchema,
  updateApiKeyRequestSchema,
} from '@ceiba/contract';
import { archiveApiKey, createApiKey, getApiKey, revokeApiKey, updateApiKey } from '@ceiba/schema';
import { invalidRequest, TransportError, unauthorized } from '../errors.ts';
import { parseBody, requireNoFields } from './body.ts';
import { noCustomer } from './customer-routes.ts';
import { listKeys } from './key-list.ts';
import { fullPlan, keyOf, keyOrThrow, mintFrom, noKey } from './key-replies.ts';
import { endPreviousSecret, rotate } from './key-secrets.ts';
import { createBatch, importBatch } from './keys-in-bulk.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const KEYS = '/rt/projects/:projectId/api-keys';
const KEY = { path: `${KEYS}/:apiKeyId`, id: 'apiKeyId' } as const;

const LIST: ProjectRoute<typeof apiKeyQuerySchema> = {
  method: 'GET',
  path: KEYS,
  query: apiKeyQuerySchema,
  answer: listKeys,
};

export const KEY_ROUTES: readonly ProjectRoute[] = [
  LIST,
  { method: 'POST', path: KEYS, answer: create },
  { method: 'POST', path: `${KEYS}/batch`, bodyCapBytes: 1024 * 1024, answer: createBatch },
  { method: 'POST', path: `${KEYS}/import`, bodyCapBytes: IMPORT_BYTES_MAX, answer: importBatch },
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

async function create(call: ProjectCall): Promise<ApiKeyCreateResult> {
  const { expiresAt, ...fields } = parseBody(createApiKeyRequestSchema, call.body);
  const input = {
    projectId: call.projectId,
    mint: mintFrom(call.random),
    idempotencyKey: idempotencyKeyOf(call),
    ...fields,
    expiresAt: dateOf(expiresAt),
  };
  const result = await call.run((ctx) => createApiKey(ctx, input));
  switch (result.kind) {
    case 'repeated':
      throw new TransportError('conflict', REPEATED, { apiKeyId: result.apiKeyId });
    case 'other_creation':
      throw new TransportError('conflict', OTHER_CREATION);
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

const REPEATED =
  'A call with this "Idempotency-Key" has created the key "apiKeyId" already. Its plaintext was shown once, and is not kept.';
const OTHER_CREATION =
  'A call with this "Idempotency-Key" has created a key from another body. Send another "Idempotency-Key".';

function idempotencyKeyOf({ headers }: ProjectCall): string | undefined {
  const given = headers[IDEMPOTENCY_KEY_HEADER];
  if (given === undefined) return undefined;
  // A header that is sent twice breaks the rule as well.
  const result = idempotencyKeySchema.safeParse(given.length === 1 ? given[0] : '');
  if (result.success) return result.data;
  throw invalidRequest(`"Idempotency-Key" ${result.error.issues[0]?.message ?? 'is not valid'}.`);
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
