import type { Metadata } from '@ceiba/contract';
import { eachLimit, type KeyLimits, type MintedCredential } from '@ceiba/domain';
import type { Given, VerbContext } from '../context.ts';
import { customerNamed, type NamedCustomer, requireOneName } from '../customer/of-key.ts';
import { checked, LIMIT_NAMES } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { lockProject } from '../project/lock.ts';
import { apiKeys } from '../tables.ts';
import { type FullPlan, fullPlanOfCustomer, fullPlanOfProject } from './cap.ts';

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

export interface CreateApiKeyInput extends ApiKeyFields {
  projectId: string;
  displayName: string;
  /** Makes the secret, given what the keys of the project begin with. */
  mint: Mint;
}

export type CreateApiKeyResult =
  | {
      kind: 'created';
      apiKeyId: string;
      displayName: string;
      keyPrefix: string;
      /** Shown once. */
      plaintextKey: string;
    }
  | FullPlan
  /** `unknown_customer`: the project has no customer of that id. */
  | { kind: 'unknown_customer' | 'not_found' };

/**
 * Creates a key unless the project, or the key's customer, has as many active keys as its plan allows.
 *
 * @throws InvalidInputError where the customer is named twice, or a field breaks its rule
 */
export async function createApiKey(
  ctx: VerbContext,
  given: CreateApiKeyInput,
): Promise<CreateApiKeyResult> {
  requireOneName(given);
  const { projectId, mint, ...input } = checked(given, ['displayName', ...API_KEY_FIELDS]);
  return changingProject(ctx, projectId, lockProject, async (tx, project, audit) => {
    const full = await fullPlanOfProject(tx, projectId);
    if (full !== null) return full;
    const customer = await customerNamed(tx, input, { projectId, audit });
    if (customer === 'unknown') return { kind: 'unknown_customer' };
    const { customerId = null, externalId } = customer ?? {};
    const fullCustomer = customerId && (await fullPlanOfCustomer(tx, { projectId, customerId }));
    if (fullCustomer) return fullCustomer;
    const { displayName, expiresAt = null, scopes = null, metadata } = input;
    const minted = mint(project.keyPrefix);
    const shown = { displayName, keyPrefix: minted.prefix };
    const limits = eachLimit((limit) => input[limit] ?? null);
    const state = {
      ...shown,
      expiresAt,
      ...limits,
      scopes: scopes && [...scopes],
      customerId,
      metadata,
    };
    const [row] = await tx
      .insert(apiKeys)
      .values({ projectId, keyDigest: minted.digest, ...state })
      .returning({ apiKeyId: apiKeys.id });
    if (row === undefined) throw new Error('an insert returned no row');
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
  });
}
