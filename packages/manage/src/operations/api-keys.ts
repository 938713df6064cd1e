import {
  apiKeySummarySchema,
  createApiKeyRequestSchema,
  dateOf,
  ERROR_MESSAGES,
} from '@ceiba/contract';
import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { eachLimit, limitsIn, listLimits, mintApiKey } from '@ceiba/domain';
import {
  type ApiKeyRef,
  type ApiKeyRow,
  archiveApiKey,
  createApiKey,
  disableApiKey,
  enableApiKey,
  type FullPlan,
  getApiKeyRow,
  listApiKeyRows,
  revokeApiKey,
  type TransitionResult,
  updateApiKey,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { apiKeyId, limits, nextCursor, page, pageOf, projectId } from '../fields.ts';
import { changing, noProject, type Operation, operation } from '../operation.ts';
import { conflict, failure, forbidden, missing } from '../refusal.ts';

export const KEYS = '/projects/{projectId}/api-keys';

const ownLimits = Object.fromEntries(
  listLimits((name) => [name, z.int().nullable().describe('Its own; null for none.')]),
) as Record<keyof typeof limits, z.ZodNullable<z.ZodInt>>;

export const apiKey = apiKeySummarySchema
  .extend({
    ...ownLimits,
    isExpired: z.boolean().describe('The status of an expired key stays `active`.'),
    disabledAt: z.iso.datetime().nullable().describe('Its status stays `active`.'),
    note: z.string(),
    usedThisMonth: z.number().describe('Requests allowed this month, in UTC.'),
  })
  .describe('A key, without its plaintext.');
export type ManagedApiKey = z.output<typeof apiKey>;

export const shown = ({
  hints: _,
  customerDenial: __,
  usedToday: ___,
  ...key
}: ApiKeyRow): ManagedApiKey => key;

export const listApiKeys = operation({
  name: 'listApiKeys',
  summary: 'List the keys of a project, newest first; never the keys themselves',
  method: 'GET',
  path: KEYS,
  access: 'read',
  input: z.strictObject({
    projectId,
    status: z.enum(API_KEY_STATUSES).optional().describe('Of this status.'),
    ...page,
  }),
  output: z.strictObject({ apiKeys: z.array(apiKey), nextCursor }),
  run: async (call, { projectId, status, ...asked }) => {
    const found = await listApiKeyRows(call.ctx.db, { projectId, status, ...pageOf(asked) });
    return { apiKeys: found.items.map(shown), nextCursor: found.next };
  },
});

export const getApiKeyById = operation({
  name: 'getApiKey',
  summary: 'Read a key',
  method: 'GET',
  path: `${KEYS}/{apiKeyId}`,
  access: 'read',
  input: z.strictObject({ projectId, apiKeyId }),
  output: apiKey,
  run: async ({ ctx }, ref) => shown(await requireKey(ctx.db, ref)),
});

export async function requireKey(db: VerbContext['db'], ref: ApiKeyRef): Promise<ApiKeyRow> {
  const key = await getApiKeyRow(db, ref);
  if (key === null) throw noKey(ref);
  return key;
}

export const noKey = ({ projectId, apiKeyId }: ApiKeyRef) =>
  missing(`Project ${projectId} has no key ${apiKeyId}.`, 'apiKeyId');

export const createKey = operation({
  name: 'createApiKey',
  summary: 'Create a key, which only this answer has',
  method: 'POST',
  path: KEYS,
  access: 'write',
  example: { displayName: 'Mobile app' },
  input: z.strictObject({ projectId, ...createApiKeyRequestSchema.shape }),
  output: apiKey
    .pick({ apiKeyId: true, displayName: true, keyPrefix: true, expiresAt: true })
    .extend({
      projectId,
      ...ownLimits,
      customer: apiKey.shape.customer,
      scopes: apiKey.shape.scopes,
      plaintextKey: z.string().describe('Only in this answer.'),
      isExpired: apiKey.shape.isExpired,
    }),
  run: async (call, { projectId, expiresAt, ...fields }) => {
    const result = await createApiKey(changing(call, projectId, 'change_keys'), {
      projectId,
      mint: (brand) => mintApiKey(call.random, brand),
      ...fields,
      expiresAt: dateOf(expiresAt),
    });
    if (result.kind === 'plan_limit_reached') throw planLimitReached(result);
    if (result.kind === 'unknown_customer') {
      throw missing(`Project ${projectId} has no customer ${fields.customerId}.`, 'customerId');
    }
    if (result.kind !== 'created') throw noProject(projectId);
    const { apiKeyId, displayName, keyPrefix, plaintextKey } = result;
    const row = await getApiKeyRow(call.ctx.db, { projectId, apiKeyId });
    if (row === null) throw failure('The project has just been deleted.');
    return {
      projectId,
      apiKeyId,
      displayName,
      keyPrefix,
      expiresAt: row.expiresAt,
      ...limitsIn(row),
      ...(row.customer && { customer: row.customer }),
      ...(row.scopes && { scopes: row.scopes }),
      plaintextKey,
      isExpired: row.isExpired,
    };
  },
});

const planLimitReached = (full: FullPlan) =>
  forbidden(ERROR_MESSAGES.plan_limit_reached(full), { code: 'plan_limit_reached' });

export const setKeyLimits = operation({
  name: 'setApiKeyLimits',
  summary: "Set a key's own limits, in addition to its project's plan",
  method: 'PATCH',
  path: `${KEYS}/{apiKeyId}/limits`,
  access: 'write',
  example: { dailyQuota: 1_000 },
  input: z.strictObject({ projectId, apiKeyId, ...limits }),
  output: z.strictObject({ projectId, apiKeyId, displayName: z.string(), ...ownLimits }),
  run: async (call, { projectId, apiKeyId, ...given }) => {
    const ref = { projectId, apiKeyId };
    const result = await updateApiKey(changing(call, projectId, 'change_keys'), {
      ...ref,
      ...given,
    });
    if (result.kind === 'conflict') {
      throw conflict(
        `Key ${apiKeyId} is ${result.status}: only the limits of an active key can be set.`,
        { field: 'apiKeyId' },
      );
    }
    // Nothing else is refused: no customer is named.
    if (!('apiKey' in result)) throw noKey(ref);
    const { displayName, ...key } = result.apiKey;
    return { ...ref, displayName, ...eachLimit((name) => key[name] ?? null) };
  },
});

type Change = 'disable' | 'enable' | 'revoke' | 'archive';
type ChangeVerb = (ctx: VerbContext, ref: ApiKeyRef) => Promise<TransitionResult>;

const changeStatus = (name: Change, summary: string, verb: ChangeVerb) =>
  operation({
    name: `${name}ApiKey`,
    summary,
    method: 'POST',
    path: `${KEYS}/{apiKeyId}/${name}`,
    access: 'write',
    input: z.strictObject({ projectId, apiKeyId }),
    output: z.strictObject({
      changed: z.boolean().describe('False where it was so already.'),
      apiKey,
    }),
    run: async (call, ref) => {
      const result = await verb(changing(call, ref.projectId, 'change_keys'), ref);
      const key = await requireKey(call.ctx.db, ref);
      if (result.kind === 'conflict') {
        const problem = `Key ${nameOfKey(key)} is ${result.status}: only an active key can be ${name}d.`;
        throw conflict(problem, { field: 'apiKeyId' });
      }
      return { changed: result.kind === 'updated', apiKey: shown(key) };
    },
  });

/** How a key is called in sentences. */
export const nameOfKey = ({
  displayName,
  keyPrefix,
}: Pick<ApiKeyRow, 'displayName' | 'keyPrefix'>) => `${displayName} (${keyPrefix}…)`;

export const CHANGES_OF_KEYS = {
  disable: changeStatus(
    'disable',
    'Deny an active key from the next decision on, until it is enabled',
    disableApiKey,
  ),
  enable: changeStatus(
    'enable',
    'Let a disabled key work again, from the next decision on',
    enableApiKey,
  ),
  revoke: changeStatus(
    'revoke',
    'Deny a key for good, because it is no longer trusted; cannot be undone',
    revokeApiKey,
  ),
  archive: changeStatus(
    'archive',
    'Deny a key for good, because it is no longer needed; cannot be undone',
    archiveApiKey,
  ),
} as const satisfies Record<Change, Operation>;
