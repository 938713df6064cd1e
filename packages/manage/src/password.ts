import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { badInput } from './refusal.ts';

/**
 * @param account.source where the password came from, for the error
 * @throws Refusal that says what is wrong; never the password
 */
export async function checkedPassword(
  password: string,
  account: { email: string; source: string },
): Promise<string> {
  const reason = await whyPasswordRefused(password, account.email);
  if (reason === null) return password;
  throw badInput(`The password (${account.source}) ${reason}.`);
}
