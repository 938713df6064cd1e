import 'server-only';
import { hasUsers } from '@ceiba/schema';
import { env } from '../../env.ts';
import { withDatabase } from '../database.ts';

/** Whether sign-up is open now. */
export async function isSignUpOpen(): Promise<boolean> {
  switch (env().signUp) {
    case 'open':
      return true;
    case 'closed':
      return false;
    case 'first-user':
      return !(await withDatabase((db) => hasUsers(db)));
  }
}
