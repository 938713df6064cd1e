'use server';

import { randomBytes } from 'node:crypto';
import type { ApiKeyStatus } from '@ceiba/contract';
import { eachLimit, mintApiKey } from '@ceiba/domain';
import {
  type ApiKeyRef,
  type ApiKeysChange,
  archiveApiKey,
  type ChangeApiKeysResult,
  changeApiKeys,
  createApiKey,
  describeApiKey,
  disableApiKey,
  enableApiKey,
  revokeApiKey,
  type SetApiKeyDisabledResult,
  setApiKeyExpiry,
  setApiKeyLimits,
  type TransitionResult,
  type UpdateApiKeyInput,
  updateApiKey,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, refuse, refuseField } from '#server/action.ts';
import { done, PROJECT_GONE, settle } from '#server/settle.ts';
import { plural } from '../../../../../lib/format.ts';
import {
  scopesOf,
  typedInstant,
  typedLimitOrNone,
  typedScopes,
  typedText,
} from '../../../../../lib/typed.ts';

const limits = eachLimit(() => typedLimitOrNone);

/** Never, or at a time. Two fields, so that an empty date does not mean never. */
const expiry = { expires: z.enum(['never', 'at']), expiresAt: typedInstant };
const instantOf = ({ expires, expiresAt }: { expires: 'never' | 'at'; expiresAt: Date }) =>
  expires === 'never' ? null : expiresAt;

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
  input: z.object({
    displayName: typedText,
    externalCustomerId: typedText,
    ...expiry,
    ...limits,
    ...typedScopes,
  }),
  async run({ ctx, projectId }, { expires, expiresAt, ...input }): Promise<NewKey> {
    const { externalCustomerId, restricts, scopes, ...values } = input;
    const key = {
      projectId,
      ...values,
      ...(externalCustomerId !== '' && { externalCustomerId }),
      scopes: scopesOf({ restricts, scopes }),
      mint: (brand: string) => mintApiKey(randomBytes, brand),
      expiresAt: instantOf({ expires, expiresAt }),
    };
    const {
      kind: _,
      plaintextKey,
      ...created
    } = settle(await createApiKey(ctx, key), {
      not_found: PROJECT_GONE,
      unknown_customer: CUSTOMER_GONE,
      plan_limit_reached: full,
    });
    return { ...created, plaintext: plaintextKey };
  },
});

const CUSTOMER_GONE = {
  field: 'externalCustomerId',
  text: 'The project has no such customer any more.',
};

/** Whose plan allows no further active key. */
const full = ({ activeKeyCap, of }: { activeKeyCap: number; of: 'plan' | 'customer_plan' }) =>
  of === 'plan'
    ? `The plan allows ${plural(activeKeyCap, 'active key')}, and all are in use. Revoke or archive one or change the plan, then try again. Your input is kept.`
    : {
        field: 'externalCustomerId',
        text: `The plan of this customer allows ${plural(activeKeyCap, 'active key')}, and all are in use. Revoke or archive one of its keys or change its plan.`,
      };

const keyId = { apiKeyId: z.guid() };

/** Sets which policies a key may call. */
export const setKeyScopes = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...typedScopes }),
  run: async ({ ctx, projectId }, { apiKeyId, ...input }) =>
    change(ctx, { projectId, apiKeyId, scopes: scopesOf(input) }),
});

/** Moves a key to a customer, or away from its customer. */
export const moveKey = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, externalCustomerId: typedText }),
  run: async ({ ctx, projectId }, { apiKeyId, externalCustomerId }) =>
    change(ctx, { projectId, apiKeyId, externalCustomerId: externalCustomerId || null }),
});

const change = async (ctx: VerbContext, input: UpdateApiKeyInput) =>
  done(await updateApiKey(ctx, input), {
    ...CHANGED,
    unknown_customer: CUSTOMER_GONE,
    plan_limit_reached: full,
  });

/** Sets or clears when a key expires. */
export const setKeyExpiry = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...expiry }),
  run: async ({ ctx, projectId }, { apiKeyId, ...input }) =>
    done(await setApiKeyExpiry(ctx, { projectId, apiKeyId, expiresAt: instantOf(input) }), CHANGED),
});

/** Sets or clears a key's own limits. */
export const setKeyLimits = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...limits }),
  run: async ({ ctx, projectId }, { apiKeyId, ...limits }) =>
    done(await setApiKeyLimits(ctx, { projectId, apiKeyId, limits }), CHANGED),
});

/** Sets a key's name and note. */
export const describeKey = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, displayName: typedText, note: typedText }),
  run: async ({ ctx, projectId }, input) =>
    done(await describeApiKey(ctx, { projectId, ...input }), CHANGED),
});

/** A change that names nothing but the key. */
const ofKey = (
  verb: (ctx: VerbContext, key: ApiKeyRef) => Promise<TransitionResult | SetApiKeyDisabledResult>,
) =>
  projectAction({
    right: 'change_keys',
    input: z.object(keyId),
    run: async ({ ctx, projectId }, key) => done(await verb(ctx, { projectId, ...key }), CHANGED),
  });

/** Denies a key's calls until it is enabled. */
export const disableKey = ofKey(disableApiKey);

/** Ends the disabling of a key. */
export const enableKey = ofKey(enableApiKey);

/** Revokes a key for good. */
export const revokeKey = ofKey(revokeApiKey);

/** Archives a key for good. */
export const archiveKey = ofKey(archiveApiKey);

const CONFLICTS = {
  active: 'The key was changed in the meantime. Nothing was changed; check the list again.',
  revoked: 'The key was revoked in the meantime. Nothing was changed.',
  archived: 'The key was archived in the meantime. Nothing was changed.',
} as const satisfies Record<ApiKeyStatus, string>;

/** What changed the key since the page was loaded. */
const CHANGED = {
  not_found: 'The key no longer exists. Nothing was changed.',
  conflict: ({ status }: { status: ApiKeyStatus }) => CONFLICTS[status],
};

/** The most keys of one bulk change; a page of the list has fewer. */
const BULK_MAX = 100;

/** Revokes, archives or sets the expiry of several keys; those that cannot change are reported. */
export const changeKeys = projectAction({
  right: 'change_keys',
  input: z.object({
    /** Separated by commas. */
    apiKeyIds: z
      .string()
      .transform((ids) => ids.split(','))
      .pipe(z.array(z.guid()).max(BULK_MAX)),
    change: z.enum(['revoke', 'archive', 'set_expiry']),
    expires: expiry.expires.optional(),
    expiresAt: expiry.expiresAt,
  }),
  async run({ ctx, projectId }, { apiKeyIds, ...input }): Promise<ChangeApiKeysResult> {
    const change = changeOf(input);
    const result = await changeApiKeys(ctx, { projectId, apiKeyIds, change });
    if (result.done === 0 && result.refused.every(({ reason }) => reason === 'not_found')) {
      refuse('not_found', 'These keys no longer exist. Nothing was changed.');
    }
    return result;
  },
});

function changeOf({
  change: kind,
  expires,
  expiresAt,
}: {
  change: ApiKeysChange['kind'];
  expires?: 'never' | 'at' | undefined;
  expiresAt: Date;
}): ApiKeysChange {
  if (kind !== 'set_expiry') return { kind };
  if (expires === undefined) refuseField('expires', 'Choose an expiry.');
  return { kind, expiresAt: instantOf({ expires, expiresAt }) };
}
