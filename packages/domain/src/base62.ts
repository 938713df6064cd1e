const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A number as base62 digits (0-9, A-Z, a-z), most significant first, left-padded with `0`.
 *
 * @param length - The least number of digits; a larger number takes more.
 */
export function base62(value: bigint, length: number): string {
  let text = '';
  let large = value;
  for (; large > MAX_SAFE; large /= 62n) text = DIGITS.charAt(Number(large % 62n)) + text;
  // A tenth of the time: each key that is presented has a checksum.
  let rest = Number(large);
  for (; rest > 0; rest = Math.floor(rest / 62)) text = DIGITS.charAt(rest % 62) + text;
  return text.padStart(length, '0');
}
