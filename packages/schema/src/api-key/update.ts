import { isDeepStrictEqual } from 'node:util';
import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import { limitsIn, TRANSITIONS } from '@ceiba/domain';
import type { AuditAction } from '../audit/actions.ts';
import { givenIn, type VerbContext } from '../context.ts';
import { customerNamed, requireOneName } from '../customer/of-key.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { apiKeys } from '../tables.ts';
import { type FullPlan, fullPlanOf, placesOfCustomers } from './cap.ts';
import { API_KEY_FIELDS, type ApiKeyFields } from './create.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { type ChangedKey, changeColumns, lockApiKey } from './lock.ts';
import { toSummary } from './summary.ts';
import { lifeOf } from './transition.ts';

export interface UpdateApiKeyInput extends ApiKeyRef, ApiKeyFields {
  displayName?: string | undefined;
}

export type UpdateApiKeyResult =
  | { kind: 'updated' | 'unchanged'; apiKey: ApiKeySummary }
  | { kind: 'conflict'; status: ApiKeyStatus }
  /** The customer that it shall belong to has as many active keys as its plan allows. */
  | FullPlan
  | { kind: 'unknown_customer' }
  | { kind: 'not_found' };

/**
 * Changes an active key; absent fields keep their values, and null clears. Takes effect with the next
 * decision. What the key has used stays its former customer's.
 *
 * @throws InvalidInputError where the customer is named twice, or a field breaks its rule
 */
export async function updateApiKey(
  ctx: VerbContext,
  given: UpdateApiKeyInput,
): Promise<UpdateApiKeyResult> {
  requireOneName(given);
  const { projectId, apiKeyId, customerId, externalCustomerId, ...fields } = checked(given, [
    'displayName',
    ...API_KEY_FIELDS,
  ]);
  const ref = { projectId, apiKeyId };
  const named = { customerId, externalCustomerId };
  const isMove = customerId !== undefined || externalCustomerId !== undefined;
  return changingProject<UpdateApiKeyResult>(ctx, projectId, async (tx, _, audit) => {
    const before = await lockApiKey(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    const { status } = before;
    if (TRANSITIONS.update[status] === 'conflict') return { kind: 'conflict', status };
    const customer = isMove ? await customerNamed(tx, named, { projectId, audit }) : undefined;
    if (customer === 'unknown') return { kind: 'unknown_customer' };
    if (customer && customer.customerId !== before.customerId) {
      const { customerId } = customer;
      const full = fullPlanOf(
        (await placesOfCustomers(tx, projectId, [customerId])).get(customerId),
      );
      if (full !== null) return full;
    }
    const set = changeOf(before, {
      ...fields,
      ...(customer !== undefined && { customerId: customer?.customerId ?? null }),
    });
    if (set === null) return { kind: 'unchanged', apiKey: toSummary(before) };
    const [after] = await tx.update(apiKeys).set(set).where(isApiKey(ref)).returning(changeColumns);
    if (after === undefined) throw new Error('a locked key was not updated');
    const target = { id: apiKeyId, label: after.displayName };
    for (const [action, stateOf, wholeOf = stateOf] of AUDITED) {
      if (isDeepStrictEqual(wholeOf(before), wholeOf(after))) continue;
      await audit(action, target, { before: stateOf(before), after: stateOf(after) });
    }
    return { kind: 'updated', apiKey: toSummary(after) };
  });
}

/** What a change sets that the key does not have already; null for nothing. */
function changeOf(
  before: ChangedKey,
  { scopes, ...fields }: Omit<UpdateApiKeyInput, keyof ApiKeyRef | 'externalCustomerId'>,
) {
  const given = givenIn({ ...fields, scopes: scopes && [...scopes] });
  const isSame = Object.entries(given).every(([field, value]) =>
    isDeepStrictEqual(before[field as keyof typeof given], value),
  );
  return isSame ? null : given;
}

type State = (key: ChangedKey) => Record<string, unknown>;

/**
 * The parts of a key that are audited by themselves, each with what is shown of it, and what is compared
 * where that is more: metadata may be personal data, which the audit log would keep.
 */
const AUDITED: readonly [AuditAction, shown: State, compared?: State][] = [
  [
    'api_key.update',
    ({ displayName }) => ({ displayName }),
    ({ displayName, metadata }) => ({ displayName, metadata }),
  ],
  [
    'api_key.move',
    ({ customerId, externalCustomerId }) => ({ customerId, customer: externalCustomerId }),
  ],
  ['api_key.set_scopes', ({ scopes }) => ({ scopes })],
  ['api_key.set_expiry', lifeOf],
  ['api_key.set_limits', (key) => limitsIn(key)],
];
