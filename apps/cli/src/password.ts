import { whyPasswordRefused } from '@ceiba/domain';
import { badInput } from './errors.ts';

/**
 * @param source where the password came from, for the error
 * @throws CliError that says what is wrong; never the password
 */
export function checkedPassword(password: string, source: string): string {
  const reason = whyPasswordRefused(password);
  if (reason === null) return password;
  throw badInput(`The password (${source}) ${reason}.`);
}
