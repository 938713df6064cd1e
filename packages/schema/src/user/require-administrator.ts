import type { Executor } from '../connection/database.ts';
import { takeLock } from '../locks.ts';
import { lockProven, type ProvenUser } from './lock.ts';

/** A change that only an administrator may make, whose session or password was checked before. */
export interface AdministratorAccess {
  administrator: ProvenUser;
}

/** The user is not the administrator that a change requires. */
export class AdministratorRefusedError extends Error {
  override readonly name = 'AdministratorRefusedError';

  constructor(
    /** `outdated`: since the check, the password was set, the user signed out everywhere or is gone. */
    readonly reason: 'not_administrator' | 'outdated',
  ) {
    super(`refused to a user whose right is: ${reason}`);
  }
}

/**
 * Checks that a user is an administrator, and keeps it so until the transaction ends: every change of
 * that role waits for the same lock. It is always taken before the row of any user, so two
 * administrators who change each other cannot deadlock.
 *
 * @throws AdministratorRefusedError
 */
export async function requireAdministrator(
  tx: Executor,
  { administrator }: AdministratorAccess,
): Promise<void> {
  await takeLock(tx, 'administrators');
  const user = await lockProven(tx, administrator);
  if (user === null) throw new AdministratorRefusedError('outdated');
  if (!user.isAdministrator) throw new AdministratorRefusedError('not_administrator');
}
