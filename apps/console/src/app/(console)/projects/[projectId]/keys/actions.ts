'use server';

import { randomBytes } from 'node:crypto';
import { type ApiKeyStatus, displayNameSchema, expirySchema } from '@ceiba/contract';
import { API_KEY_NOTE_LENGTH_MAX, mintApiKey } from '@ceiba/domain';
import {
  type ApiKeysChange,
  archiveApiKey,
  type ChangeApiKeysResult,
  changeApiKeys,
  createApiKey,
  type DescribeApiKeyResult,
  describeApiKey,
  disableApiKey,
  enableApiKey,
  revokeApiKey,
  type SetApiKeyDisabledResult,
  type SetApiKeyLimitsResult,
  setApiKeyExpiry,
  setApiKeyLimits,
  type TransitionResult,
} from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuse, refuseField, refuseProjectGone } from '#server/action.ts';
import { plural } from '../../../../../lib/format.ts';
import { optionalLimitSchema } from '../../../../../lib/limit-schema.ts';

const limits = { rateLimitPerMinute: optionalLimitSchema, monthlyQuota: optionalLimitSchema };

/** Never, or at a time. Two fields, so that an empty date does not mean never. */
const expiry = { expires: z.enum(['never', 'at']), expiresAt: expirySchema.optional() };
/** Checked even if another field is wrong, so that all errors show at once. */
const dateIsThere = {
  check: (input: { expires?: 'never' | 'at' | undefined; expiresAt?: string | null | undefined }) =>
    input.expires !== 'at' || input.expiresAt != null,
  refusal: { path: ['expiresAt'], message: 'Choose a date and time.', when: () => true },
};
const instantOf = (input: { expires: 'never' | 'at'; expiresAt?: string | null | undefined }) =>
  input.expires === 'never' || input.expiresAt == null ? null : new Date(input.expiresAt);

/** Shown once: the key itself is in this answer and nowhere else. */
export interface NewKey {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  plaintext: string;
}

/** Creates a key and returns it. */
export const createKey = projectAction({
  right: 'change_keys',
  showsOnce: true,
  input: z
    .object({ displayName: displayNameSchema, ...expiry, ...limits })
    .refine(dateIsThere.check, dateIsThere.refusal),
  async run({ ctx, project }, input): Promise<NewKey> {
    const minted = mintApiKey(randomBytes);
    const { displayName, rateLimitPerMinute, monthlyQuota } = input;
    const result = await createApiKey(ctx, {
      projectId: project.projectId,
      displayName,
      minted,
      expiresAt: instantOf(input),
      rateLimitPerMinute,
      monthlyQuota,
    });
    if (result.kind === 'not_found') refuseProjectGone();
    if (result.kind === 'plan_limit_reached') {
      refuse(
        'limit_reached',
        `The plan allows ${plural(result.activeKeyCap, 'active key')}, and all are in use. Revoke or archive one or change the plan, then try again. Your input is kept.`,
      );
    }
    const { apiKeyId, keyPrefix } = result;
    return { apiKeyId, displayName, keyPrefix, plaintext: minted.plaintext };
  },
});

const keyId = { apiKeyId: z.guid() };

/** Sets or clears when a key expires. */
export const setKeyExpiry = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...expiry }).refine(dateIsThere.check, dateIsThere.refusal),
  async run({ ctx, project }, input): Promise<null> {
    const ref = { projectId: project.projectId, apiKeyId: input.apiKeyId };
    return settled(await setApiKeyExpiry(ctx, { ...ref, expiresAt: instantOf(input) }));
  },
});

/** Sets or clears a key's own limits. */
export const setKeyLimits = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...limits }),
  async run({ ctx, project }, { apiKeyId, ...values }): Promise<null> {
    const ref = { projectId: project.projectId, apiKeyId };
    return settled(await setApiKeyLimits(ctx, { ...ref, limits: values }));
  },
});

/** Browsers send line ends as CR LF. */
const note = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .refine(
    (text) => [...text].length <= API_KEY_NOTE_LENGTH_MAX,
    `must be at most ${API_KEY_NOTE_LENGTH_MAX} characters`,
  )
  .refine((text) => !/[\p{Cs}\0]/u.test(text), 'must not hold NUL or lone surrogates');

/** Sets a key's name and note. */
export const describeKey = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, displayName: displayNameSchema, note: note.default('') }),
  async run({ ctx, project }, input): Promise<null> {
    return settled(await describeApiKey(ctx, { projectId: project.projectId, ...input }));
  },
});

/** Denies a key's calls until it is enabled. */
export const disableKey = projectAction({
  right: 'change_keys',
  input: z.object(keyId),
  async run({ ctx, project }, { apiKeyId }): Promise<null> {
    return settled(await disableApiKey(ctx, { projectId: project.projectId, apiKeyId }));
  },
});

/** Ends the disabling of a key. */
export const enableKey = projectAction({
  right: 'change_keys',
  input: z.object(keyId),
  async run({ ctx, project }, { apiKeyId }): Promise<null> {
    return settled(await enableApiKey(ctx, { projectId: project.projectId, apiKeyId }));
  },
});

/** Revokes a key for good. */
export const revokeKey = projectAction({
  right: 'change_keys',
  input: z.object(keyId),
  async run({ ctx, project }, { apiKeyId }): Promise<null> {
    return settled(await revokeApiKey(ctx, { projectId: project.projectId, apiKeyId }));
  },
});

/** Archives a key for good. */
export const archiveKey = projectAction({
  right: 'change_keys',
  input: z.object(keyId),
  async run({ ctx, project }, { apiKeyId }): Promise<null> {
    return settled(await archiveApiKey(ctx, { projectId: project.projectId, apiKeyId }));
  },
});

const GONE = 'The key no longer exists. Nothing was changed.';

const CONFLICTS = {
  active: 'The key was changed in the meantime. Nothing was changed; check the list again.',
  revoked: 'The key was revoked in the meantime. Nothing was changed.',
  archived: 'The key was archived in the meantime. Nothing was changed.',
} as const satisfies Record<ApiKeyStatus, string>;

/** The most keys of one bulk change; a page of the list has fewer. */
const BULK_MAX = 100;

/** Revokes, archives or sets the expiry of several keys; those that cannot change are reported. */
export const changeKeys = projectAction({
  right: 'change_keys',
  input: z
    .object({
      /** Separated by commas. */
      apiKeyIds: z
        .string()
        .transform((ids) => ids.split(','))
        .pipe(z.array(z.guid()).max(BULK_MAX)),
      change: z.enum(['revoke', 'archive', 'set_expiry']),
      expires: expiry.expires.optional(),
      expiresAt: expiry.expiresAt,
    })
    .refine(dateIsThere.check, dateIsThere.refusal),
  async run({ ctx, project }, { apiKeyIds, change, ...input }): Promise<ChangeApiKeysResult> {
    const { projectId } = project;
    const result = await changeApiKeys(ctx, {
      projectId,
      apiKeyIds,
      change: changeOf(change, input),
    });
    if (result.done === 0 && result.refused.every(({ reason }) => reason === 'not_found')) {
      refuse('not_found', 'These keys no longer exist. Nothing was changed.');
    }
    return result;
  },
});

function changeOf(
  kind: ApiKeysChange['kind'],
  {
    expires,
    expiresAt,
  }: { expires?: 'never' | 'at' | undefined; expiresAt?: string | null | undefined },
): ApiKeysChange {
  if (kind !== 'set_expiry') return { kind };
  if (expires === undefined) refuseField('expires', 'Choose an expiry.');
  return { kind, expiresAt: instantOf({ expires, expiresAt }) };
}

/** Refuses with what changed the key since the page was loaded. */
function settled(
  result: TransitionResult | SetApiKeyLimitsResult | SetApiKeyDisabledResult | DescribeApiKeyResult,
): null {
  if (result.kind === 'not_found') refuse('not_found', GONE);
  if (result.kind === 'conflict') refuse('conflict', CONFLICTS[result.status]);
  return null;
}
