'use server';

import { randomBytes } from 'node:crypto';
import type { ApiKeyStatus } from '@ceiba/contract';
import { OVERLAP_SECONDS_MAX } from '@ceiba/contract/sets';
import { eachLimit, mintApiKey } from '@ceiba/domain';
import { API_KEYS_CHANGED_MAX } from '@ceiba/domain/constants';
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
  endPreviousKeySecret,
  listApiKeyRows,
  type ReplacedSecret,
  type RotationConflict,
  revokeApiKey,
  rotateApiKey,
  type TransitionResult,
  type UpdateApiKeyInput,
  updateApiKey,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { projectAction, projectQuery, refuse, refuseField } from '#server/action.ts';
import { type Answer, done, PROJECT_GONE, settle } from '#server/settle.ts';
import { plural } from '../../../../../lib/format.ts';
import {
  changedFields,
  scopesOf,
  seen,
  typedInstant,
  typedLimit,
  typedLimitOrNone,
  typedMetadata,
  typedScopes,
  typedText,
} from '../../../../../lib/typed.ts';
import { filterOf, searchOf } from './filter.ts';
import { type FirstCall, readFirstCall } from './first-call.ts';
import { type SelectableKey, selectable } from './key-state.ts';

const limits = eachLimit(() => typedLimitOrNone);

/** Never, or at a time. Two fields, so that an empty date does not mean never. */
const expiry = { expires: z.enum(['never', 'at']), expiresAt: typedInstant };
const instantOf = ({ expires, expiresAt }: { expires: 'never' | 'at'; expiresAt: Date }) =>
  expires === 'never' ? null : expiresAt;

/** One that was chosen, by its ID; or the external ID that was typed, which may be a new one. */
const typedCustomer = { customerId: typedText, externalCustomerId: typedText };
const customerOf = ({
  customerId,
  externalCustomerId,
}: Record<keyof typeof typedCustomer, string>) =>
  customerId !== '' ? { customerId } : externalCustomerId !== '' ? { externalCustomerId } : null;

/** Shown once: the key itself is in this answer and nowhere else. */
export interface NewKey extends FirstCall {
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
    ...typedCustomer,
    ...expiry,
    ...limits,
    ...typedScopes,
  }),
  async run({ ctx, projectId }, { expires, expiresAt, ...input }): Promise<NewKey> {
    const { customerId, externalCustomerId, restricts, scopes, ...values } = input;
    const customer = customerOf({ customerId, externalCustomerId });
    const labels = scopesOf({ restricts, scopes });
    // Before the key exists: what fails after that would lose it.
    const call = await readFirstCall(ctx.db, { projectId, customer, scopes: labels });
    const key = {
      projectId,
      ...values,
      ...customer,
      scopes: labels,
      mint,
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
      repeated: CREATED_BEFORE,
      other_creation: CREATED_BEFORE,
    });
    return { ...created, ...call, plaintext: plaintextKey };
  },
});

const mint = (brand: string) => mintApiKey(randomBytes, brand);

/** Only of creations with an idempotency key, which the page does not send. */
const CREATED_BEFORE = 'The key was created before. Look for it in the list.';

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

/** Sets what the owner keeps with a key. */
export const setKeyMetadata = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, metadata: typedMetadata }),
  run: async ({ ctx, projectId }, input) => change(ctx, { projectId, ...input }),
});

/** Moves a key to a customer, or away from its customer. */
export const moveKey = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, ...typedCustomer }),
  run: async ({ ctx, projectId }, { apiKeyId, ...input }) =>
    change(ctx, { projectId, apiKeyId, ...(customerOf(input) ?? { customerId: null }) }),
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
    change(ctx, { projectId, apiKeyId, expiresAt: instantOf(input) }),
});

/** Sets or clears a key's own limits. */
export const setKeyLimits = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, seen, ...limits }),
  run: async ({ ctx, projectId }, { apiKeyId, seen, ...input }) =>
    change(ctx, { projectId, apiKeyId, ...changedFields(input, seen) }),
});

/** Sets a key's name and note. */
export const describeKey = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, seen, displayName: typedText, note: typedText }),
  run: async ({ ctx, projectId }, { apiKeyId, seen, ...input }) =>
    done(
      await describeApiKey(ctx, { projectId, apiKeyId, ...changedFields(input, seen) }),
      CHANGED,
    ),
});

/** Shown once: the new secret is in this answer and nowhere else. */
export interface ReplacedKey {
  displayName: string;
  keyPrefix: string;
  plaintext: string;
  /** The secret before, while it still works. */
  previous: ReplacedSecret | null;
}

/** Gives a key a new secret, if its secret is still the one that the page showed. */
export const replaceKey = projectAction({
  right: 'change_keys',
  showsOnce: true,
  input: z.object({
    ...keyId,
    keyPrefix: typedText,
    overlapSeconds: typedLimit.refine(
      (seconds) => seconds <= OVERLAP_SECONDS_MAX,
      `Must be from 0 to ${OVERLAP_SECONDS_MAX / 3_600} hours.`,
    ),
    /** Confirms that the secret before the last replacement may end at once. */
    confirm: z.literal('yes').optional(),
  }),
  async run({ ctx, projectId }, { confirm, ...input }): Promise<ReplacedKey> {
    const replacement = { projectId, ...input, confirm: confirm === 'yes', mint };
    const { displayName, keyPrefix, plaintextKey, previous } = settle(
      await rotateApiKey(ctx, replacement),
      { not_found: CHANGED.not_found, conflict: notReplaced },
    );
    return { displayName, keyPrefix, plaintext: plaintextKey, previous };
  },
});

function notReplaced(conflict: RotationConflict): Answer {
  switch (conflict.why) {
    case 'revoked':
    case 'archived':
      return CONFLICTS[conflict.why];
    case 'expired':
      return 'The key has expired. Set a later expiry first, then replace it.';
    case 'other_prefix':
      return `The secret was replaced elsewhere after this page was loaded: it is ${conflict.keyPrefix}… now. Nothing was changed here.`;
    case 'overlap_running':
      return {
        field: 'confirm',
        text: `Confirm this first: the old secret ${conflict.previous.keyPrefix}… still works, and ends at once.`,
      };
  }
}

/** Ends the secret before the last replacement, if it is still the one that the page showed. */
export const endOldKeySecret = projectAction({
  right: 'change_keys',
  input: z.object({ ...keyId, keyPrefix: typedText }),
  run: async ({ ctx, projectId }, input) =>
    done(await endPreviousKeySecret(ctx, { projectId, ...input }), CHANGED),
});

/** A change that names nothing but the key. */
const ofKey = (verb: (ctx: VerbContext, key: ApiKeyRef) => Promise<TransitionResult>) =>
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

/** What the address of a list has about which keys it shows. */
const filter = typedText.transform((text) => Object.fromEntries(new URLSearchParams(text)));

/** The keys of a list that can be changed at once, in its order: those of all its pages, as far as allowed. */
export const findChangeableKeys = projectQuery({
  right: 'change_keys',
  input: z.object({ filter }),
  async run({ ctx, project: { projectId } }, input): Promise<SelectableKey[]> {
    const { items } = await listApiKeyRows(ctx.db, {
      projectId,
      ...searchOf(input.filter),
      status: 'active',
      limit: API_KEYS_CHANGED_MAX,
    });
    return items.flatMap(selectable);
  },
});

/**
 * Makes one change to several keys; those that cannot change, or that do not match the filter of their list
 * any more, are reported.
 */
export const changeKeys = projectAction({
  right: 'change_keys',
  input: z.object({
    /** Separated by commas. */
    apiKeyIds: z
      .string()
      .transform((ids) => ids.split(','))
      .pipe(z.array(z.guid()).max(API_KEYS_CHANGED_MAX)),
    filter: filter.optional(),
    change: z.enum(['revoke', 'archive', 'disable', 'enable', 'set_expiry']),
    expires: expiry.expires.optional(),
    expiresAt: expiry.expiresAt,
  }),
  async run({ ctx, projectId }, { apiKeyIds, ...input }): Promise<ChangeApiKeysResult> {
    const change = changeOf(input);
    const filter = input.filter && filterOf(input.filter);
    const result = await changeApiKeys(ctx, { projectId, apiKeyIds, filter, change });
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
