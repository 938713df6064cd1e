import 'server-only';
import { type RefusedSignIn, recordRefusedSignIn } from '@ceiba/schema';
import { after } from 'next/server';
import type { InDatabase } from '../in-database.ts';
import { log } from '../log.ts';

/**
 * Records a refused sign-in to an account once the answer is sent, so that its time does not reveal
 * whether an account exists.
 */
export function noteRefusedSignIn(
  inDatabase: InDatabase,
  action: RefusedSignIn['action'],
  userId: string,
): void {
  after(async () => {
    try {
      await inDatabase((ctx) => recordRefusedSignIn(ctx, { action, userId }));
    } catch (error) {
      log.error({ err: error }, 'sign_in.refusal_not_recorded');
    }
  });
}
