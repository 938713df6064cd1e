import {
  apiKeyRotateResultSchema,
  endPreviousSecretRequestSchema,
  rotateApiKeyRequestSchema,
} from '@ceiba/contract';
import { mintApiKey } from '@ceiba/domain';
import { endPreviousKeySecret, type RotationConflict, rotateApiKey } from '@ceiba/schema';
import { z } from 'zod';
import { apiKeyId, projectId } from '../fields.ts';
import { changing, operation } from '../operation.ts';
import { conflict, type Refusal } from '../refusal.ts';
import { apiKey, KEYS, noKey, requireKey, shown } from './api-keys.ts';

/* The two secrets that a key may have at a time. */

export const rotateKey = operation({
  name: 'rotateApiKey',
  summary: 'Replace the secret of a key; only this answer has the new one',
  method: 'POST',
  path: `${KEYS}/{apiKeyId}/rotate`,
  access: 'write',
  example: { keyPrefix: 'ceiba_a3QtUwNA', overlapSeconds: 86_400 },
  input: z.strictObject({ projectId, apiKeyId, ...rotateApiKeyRequestSchema.shape }),
  output: apiKeyRotateResultSchema.extend({ displayName: z.string() }),
  run: async (call, { projectId, apiKeyId, ...given }) => {
    const ref = { projectId, apiKeyId };
    const result = await rotateApiKey(changing(call, projectId, 'change_keys'), {
      ...ref,
      ...given,
      mint: (brand) => mintApiKey(call.random, brand),
    });
    if (result.kind === 'not_found') throw noKey(ref);
    if (result.kind === 'conflict') throw refusalOf(result);
    const { kind: _, ...rotated } = result;
    return rotated;
  },
});

function refusalOf(refused: RotationConflict): Refusal {
  switch (refused.why) {
    case 'other_prefix':
      return conflict(
        `The secret of this key begins with ${refused.keyPrefix}: it has been replaced since. Read the key again.`,
        { code: 'conflict', field: 'keyPrefix' },
      );
    case 'overlap_running':
      return conflict(
        `The secret ${refused.previous.keyPrefix}… is valid until ${refused.previous.validUntil}, and a further rotation ends it at once. Confirm that with \`confirm\`.`,
        { code: 'not_confirmed', field: 'confirm' },
      );
    default:
      return conflict(
        refused.why === 'expired'
          ? 'The key has expired: only a key that is valid can be rotated.'
          : `The key is ${refused.why}: only an active key can be rotated.`,
        { field: 'apiKeyId' },
      );
  }
}

export const endPreviousSecret = operation({
  name: 'endPreviousKeySecret',
  summary: 'End the secret that a rotation has replaced, before its overlap is over',
  method: 'POST',
  path: `${KEYS}/{apiKeyId}/end-previous-secret`,
  access: 'write',
  example: { keyPrefix: 'ceiba_a3QtUwNA' },
  input: z.strictObject({ projectId, apiKeyId, ...endPreviousSecretRequestSchema.shape }),
  output: z.strictObject({
    changed: z.boolean().describe('False where there was none.'),
    apiKey,
  }),
  run: async (call, { keyPrefix, ...ref }) => {
    const ctx = changing(call, ref.projectId, 'change_keys');
    const result = await endPreviousKeySecret(ctx, { ...ref, keyPrefix });
    if (result.kind === 'not_found') throw noKey(ref);
    if (result.kind === 'conflict' && result.status === 'active') {
      throw conflict(
        `The replaced secret of this key is another one than \`keyPrefix\` names: read the key again.`,
        { code: 'conflict', field: 'keyPrefix' },
      );
    }
    if (result.kind === 'conflict') {
      throw conflict(`The key is ${result.status}: it has no valid secret.`, { field: 'apiKeyId' });
    }
    const after = await requireKey(call.ctx.db, ref);
    return { changed: result.kind === 'updated', apiKey: shown(after) };
  },
});
