import type { Metadata } from '@ceiba/contract';
import { eachLimit, type KeyLimits, type MintedCredential } from '@ceiba/domain';
import type { Executor } from '../connection/database.ts';
import type { Given, VerbContext } from '../context.ts';
import { customerNamed, type NamedCustomer, requireOneName } from '../customer/of-key.ts';
import { checked, InvalidInputError, LIMIT_NAMES } from '../input.ts';
import { type Audit, changingProject } from '../project/change.ts';
import type { LockedProject } from '../project/lock.ts';
import { apiKeys } from '../tables.ts';
import {
  type FullPlan,
  fullPlanOf,
  type Places,
  placesOfCustomers,
  placesOfProject,
} from './cap.ts';
import { digestOfCreation, findCreation, type RepeatedCreation, recordCreation } from './repeat.ts';

/** What an owner sets of a key, apart from its name. */
export interface ApiKeyFields extends Given<KeyLimits>, NamedCustomer {
  expiresAt?: Date | null | undefined;
  /** The labels of the policies that it may call; null for all. */
  scopes?: readonly string[] | null | undefined;
  /** Replaces all of it. */
  metadata?: Metadata | undefined;
}

/** For `checked`. */
export const API_KEY_FIELDS = [
  'externalCustomerId',
  'expiresAt',
  'scopes',
  'metadata',
  ...LIMIT_NAMES,
] as const;

/** @param brand what the secret begins with. Only the digest and the prefix are stored. */
export type Mint = (brand: string) => MintedCredential;

export interface NewApiKey extends ApiKeyFields {
  displayName: string;
}

interface InProject {
  projectId: string;
  /** Makes the secret, given what the keys of the project begin with. */
  mint: Mint;
}

export interface CreateApiKeyInput extends NewApiKey, InProject {
  /** Names the creation for 24 hours, in which a repeated one makes no second key. */
  idempotencyKey?: string | undefined;
}

/** What became of one key. */
export type NewApiKeyResult =
  | {
      kind: 'created';
      apiKeyId: string;
      displayName: string;
      keyPrefix: string;
      /** Shown once. */
      plaintextKey: string;
    }
  | FullPlan
  /** The project has no customer of that id. */
  | { kind: 'unknown_customer' };

export type CreateApiKeyResult = NewApiKeyResult | RepeatedCreation | { kind: 'not_found' };

/**
 * Creates a key unless the project, or the key's customer, has as many active keys as its plan allows.
 *
 * @throws InvalidInputError where the customer is named twice, or a field breaks its rule
 */
export async function createApiKey(
  ctx: VerbContext,
  { projectId, mint, idempotencyKey, ...given }: CreateApiKeyInput,
): Promise<CreateApiKeyResult> {
  const fields = checkedKey(given);
  return changingProject<CreateApiKeyResult>(ctx, projectId, async (tx, project, audit) => {
    const bodyDigest = digestOfCreation(fields);
    const named = idempotencyKey === undefined ? null : { projectId, idempotencyKey, bodyDigest };
    const earlier = named && (await findCreation(tx, named));
    if (earlier) return earlier;
    const places = await placesOfProject(tx, projectId);
    const result = await addKey(tx, { projectId, mint, project, places, audit }, fields);
    if (named && result.kind === 'created') await recordCreation(tx, named, result.apiKeyId);
    return result;
  });
}

export interface CreateApiKeysInput extends InProject {
  apiKeys: readonly NewApiKey[];
}

export type CreateApiKeysResult =
  | {
      kind: 'done';
      /** One per key, in their order. */
      results: (NewApiKeyResult | { kind: 'invalid'; error: InvalidInputError })[];
    }
  | { kind: 'not_found' };

/** Creates several keys in one transaction, each as {@link createApiKey} does, or says why it does not. */
export async function createApiKeys(
  ctx: VerbContext,
  { projectId, mint, apiKeys: given }: CreateApiKeysInput,
): Promise<CreateApiKeysResult> {
  const keys = given.map((key) => orInvalid(() => checkedKey(key)));
  return changingProject<CreateApiKeysResult>(ctx, projectId, async (tx, project, audit) => {
    const places = await placesOfProject(tx, projectId);
    const within = { projectId, mint, project, places, audit };
    const results = [];
    for (const key of keys) results.push('kind' in key ? key : await addKey(tx, within, key));
    return { kind: 'done', results };
  });
}

/** The input of one of several keys, or what is wrong with it: it fails alone. */
export function orInvalid<T>(check: () => T): T | { kind: 'invalid'; error: InvalidInputError } {
  try {
    return check();
  } catch (error) {
    if (error instanceof InvalidInputError) return { kind: 'invalid', error };
    throw error;
  }
}

function checkedKey(given: NewApiKey): NewApiKey {
  requireOneName(given);
  return checked(given, ['displayName', ...API_KEY_FIELDS]);
}

interface Within extends InProject {
  /** Locked. */
  project: LockedProject;
  places: Places;
  audit: Audit;
}

async function addKey(
  tx: Executor,
  { projectId, mint, project, places, audit }: Within,
  { displayName, expiresAt = null, scopes = null, metadata, ...fields }: NewApiKey,
): Promise<NewApiKeyResult> {
  const full = fullPlanOf(places);
  if (full !== null) return full;
  const customer = await customerNamed(tx, fields, { projectId, audit });
  if (customer === 'unknown') return { kind: 'unknown_customer' };
  const { customerId = null, externalId } = customer ?? {};
  if (customerId !== null) {
    const ofCustomers = await placesOfCustomers(tx, projectId, [customerId]);
    const fullCustomer = fullPlanOf(ofCustomers.get(customerId));
    if (fullCustomer !== null) return fullCustomer;
  }
  const minted = mint(project.keyPrefix);
  const shown = { displayName, keyPrefix: minted.prefix };
  const limits = eachLimit((limit) => fields[limit] ?? null);
  const state = { ...shown, expiresAt, ...limits, scopes: scopes && [...scopes], customerId };
  const [row] = await tx
    .insert(apiKeys)
    .values({ projectId, keyDigest: minted.digest, ...state, metadata })
    .returning({ apiKeyId: apiKeys.id });
  if (row === undefined) throw new Error('an insert returned no row');
  places.left -= 1;
  const { apiKeyId } = row;
  const after = {
    ...shown,
    expiresAt: expiresAt?.toISOString() ?? null,
    ...limits,
    ...(scopes !== null && { scopes }),
    ...(externalId !== undefined && { customer: externalId }),
  };
  await audit('api_key.create', { id: apiKeyId, label: displayName }, { after });
  return { kind: 'created', apiKeyId, ...shown, plaintextKey: minted.plaintext };
}
