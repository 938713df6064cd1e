/** Length counts for more than composition rules (NIST SP 800-63B, section 5.1.1). */
export const PASSWORD_LENGTH_MIN = 12;
/** Longer than any passphrase; bounds the text that is hashed. */
export const PASSWORD_LENGTH_MAX = 256;

/** @returns why a new password is refused, to complete "the password …"; null when it is valid */
export function whyPasswordRefused(password: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN) {
    return `must be at least ${PASSWORD_LENGTH_MIN} characters, this one is ${length}`;
  }
  return length > PASSWORD_LENGTH_MAX ? `must be at most ${PASSWORD_LENGTH_MAX} characters` : null;
}
