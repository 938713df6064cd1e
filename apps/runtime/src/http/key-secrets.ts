import {
  type ApiKeyRotateResult,
  type ApiKeySummary,
  ERROR_MESSAGES,
  endPreviousSecretRequestSchema,
  rotateApiKeyRequestSchema,
} from '@ceiba/contract';
import { endPreviousKeySecret, type RotationConflict, rotateApiKey } from '@ceiba/schema';
import { shortened, TransportError } from '../errors.ts';
import { parseBody } from './body.ts';
import { keyOf, keyOrThrow, mintFrom, noKey } from './key-replies.ts';
import type { ProjectCall } from './project-routes.ts';

/** Gives a key a new secret. */
export async function rotate(call: ProjectCall): Promise<ApiKeyRotateResult> {
  const fields = parseBody(rotateApiKeyRequestSchema, call.body);
  const input = { ...keyOf(call), ...fields, mint: mintFrom(call.random) };
  const result = await call.run((ctx) => rotateApiKey(ctx, input));
  switch (result.kind) {
    case 'not_found':
      throw noKey();
    case 'conflict':
      throw new TransportError('conflict', messageOf(result));
    case 'rotated': {
      const { apiKeyId, keyPrefix, plaintextKey, previous } = result;
      return { apiKeyId, keyPrefix, plaintextKey, previous };
    }
  }
}

function messageOf(conflict: RotationConflict): string {
  switch (conflict.why) {
    case 'revoked':
    case 'archived':
      return ERROR_MESSAGES.conflict(ONLY_ACTIVE, conflict.why);
    case 'expired':
      return `${ONLY_ACTIVE}; this one has expired.`;
    case 'other_prefix':
      return `The secret of the key is another one: it begins with "${shortened(conflict.keyPrefix)}".`;
    case 'overlap_running': {
      const { keyPrefix, validUntil } = conflict.previous;
      return `The secret before, "${shortened(keyPrefix)}", is valid until ${validUntil}; with "confirm": true it ends now.`;
    }
  }
}

const ONLY_ACTIVE = 'Only an active key can be rotated';

/** Ends the secret that a rotation has replaced, before its overlap is over. */
export async function endPreviousSecret(call: ProjectCall): Promise<ApiKeySummary> {
  const { keyPrefix } =
    call.body.kind === 'empty' ? {} : parseBody(endPreviousSecretRequestSchema, call.body);
  const input = { ...keyOf(call), keyPrefix };
  const result = await call.run((ctx) => endPreviousKeySecret(ctx, input));
  if (result.kind === 'conflict' && result.status === 'active') {
    throw new TransportError(
      'conflict',
      `The old secret of the key is another one than "${shortened(keyPrefix ?? '')}".`,
    );
  }
  return keyOrThrow(result, 'Only an active key can be changed');
}
