import { SECRET_OVERLAP_HOURS } from '@ceiba/domain';
import { eq, sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { alertDestinations } from '../tables.ts';
import { changing } from './destination.ts';
import type { AlertDestinationRef } from './ref.ts';

/** Makes a new signing secret current; the one that it replaces signs as well for 24 hours. */
export function rotateSigningSecret(
  ctx: VerbContext,
  { signingSecret, ...ref }: AlertDestinationRef & { signingSecret: Buffer },
): Promise<{ kind: 'rotated' | 'not_found' }> {
  return changing(ctx, ref, async (tx, found, audit) => {
    if (found.kind !== 'webhook') return { kind: 'not_found' };
    await tx
      .update(alertDestinations)
      .set({
        signingSecret,
        previousSecret: sql`${alertDestinations.signingSecret}`,
        previousSecretExpiresAt: sql`now() + make_interval(hours => ${SECRET_OVERLAP_HOURS})`,
      })
      .where(eq(alertDestinations.id, ref.destinationId));
    await audit('alert_destination.rotate_secret');
    return { kind: 'rotated' };
  });
}
