import { isCommonPassword } from './common-passwords.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './facts.ts';

/** @returns why a new password is refused, to complete "the password …"; null when it is valid */
export function whyPasswordRefused(password: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN) {
    return `must be at least ${PASSWORD_LENGTH_MIN} characters, this one is ${length}`;
  }
  if (length > PASSWORD_LENGTH_MAX) return `must be at most ${PASSWORD_LENGTH_MAX} characters`;
  return isCommonPassword(password)
    ? 'is among the first that attackers try: choose a phrase only you would think of'
    : null;
}
