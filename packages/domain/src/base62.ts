const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A number as base62 digits (0-9, A-Z, a-z), most significant first, left-padded with `0`.
 *
 * @param length - The least number of digits; a larger number takes more.
 */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
