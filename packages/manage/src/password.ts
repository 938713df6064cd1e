import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { badInput } from './refusal.ts';

/**
 * @param account.variable the environment variable that has the password; it was typed without one
 * @throws Refusal that says what is wrong; never the password
 */
export async function checkedPassword(
  password: string,
  { email, variable }: { email: string; variable?: string },
): Promise<string> {
  const reason = await whyPasswordRefused(password, email);
  if (reason === null) return password;
  throw badInput(`The password (${variable ?? 'as typed'}) ${reason}.`, { field: variable });
}
