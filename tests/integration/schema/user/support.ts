import { findUserById, type VerbContext } from '@ceiba/schema';
import { type Bench, makeOwner } from '../support.ts';

export interface Administrator {
  userId: string;
  /** The context of what they change. */
  ctx: VerbContext;
}

/** A new user who is an administrator, with a context as the console creates it. */
export async function makeAdministrator(bench: Bench): Promise<Administrator> {
  const userId = await makeOwner(bench.ctx);
  await bench.db.sql`update users set is_administrator = true where id = ${userId}`;
  const { email, sessionVersion } = (await findUserById(bench.db, userId))!;
  const actor = { kind: 'user', userId, email } as const;
  return {
    userId,
    ctx: { ...bench.ctx, actor, requires: { administrator: { userId, sessionVersion } } },
  };
}
