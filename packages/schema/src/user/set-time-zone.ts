import { eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { users } from '../tables.ts';
import { changingAccount } from './change.ts';
import type { ProvenUser } from './lock.ts';

export interface SetTimeZoneInput extends ProvenUser {
  /** An IANA name, such as `Europe/Berlin`; null for the zone of the browser. */
  timeZone: string | null;
}

/** `outdated`: since that version, the password was set, the user signed out everywhere or is gone. */
export type SetTimeZoneResult = { kind: 'updated' | 'unchanged' | 'outdated' };

/** Chooses the zone in which the console shows the times of a user. */
export async function setTimeZone(
  ctx: VerbContext,
  input: SetTimeZoneInput,
): Promise<SetTimeZoneResult> {
  const { timeZone, ...user } = checked(input, ['timeZone']);
  return changingAccount<SetTimeZoneResult>(ctx, user, async (tx, audit) => {
    const isUser = eq(users.id, user.userId);
    const [before] = await tx.select({ timeZone: users.timeZone }).from(users).where(isUser);
    if (before?.timeZone === timeZone) return { kind: 'unchanged' };
    await tx.update(users).set({ timeZone }).where(isUser);
    await audit('user.update', { ...(before && { before }), after: { timeZone } });
    return { kind: 'updated' };
  });
}
