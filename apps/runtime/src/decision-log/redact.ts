import { withoutCredentials } from '@ceiba/contract/redaction';
import { canonicalPath, LOGGED_PATH_BYTES_MAX } from '@ceiba/domain';

/**
 * The path to log: canonical, or as it was sent if it has no canonical form, but printable, not too
 * long and without its query. A path that was shortened ends with `…`, so that it stays one that has
 * no canonical form.
 */
export function loggedPath(target: string, apiKey: string | null | undefined): string {
  const isCut = target.length > READ_LENGTH_MAX;
  // Without the segment that was cut, which may hold half of a credential.
  const read = isCut ? target.slice(0, READ_LENGTH_MAX).replace(/[^/]*$/, '') : target;
  const path = canonicalPath(read) ?? printable(withoutQuery(read));
  return shortened(withoutApiKey(path, apiKey), target.length, isCut);
}

/** To redact a text takes time for each of its characters; more than is kept need not be read. */
const READ_LENGTH_MAX = 4 * LOGGED_PATH_BYTES_MAX;

/** A query that only some parsers see ends the path too; what starts it is kept as the evidence. */
const ANY_QUERY = /\?|#|%3f|%23/i;

function withoutQuery(target: string): string {
  const start = ANY_QUERY.exec(target);
  if (start === null) return target;
  return target.slice(0, start.index + (start[0] === '?' ? 0 : start[0].length));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const printable = (text: string) => text.replace(/[\0-\x1f\x7f]/g, '\ufffd');

/** In bytes, as the table counts them; with room for a character that was cut. */
const CUT_BYTES = LOGGED_PATH_BYTES_MAX - 8;

/** From this length, a copy is made: a part of a long text would keep all of it in memory. */
const LONG = 256;

function shortened(text: string, originalLength: number, isCut: boolean): string {
  if (Math.max(text.length, originalLength) < LONG) return text;
  const bytes = Buffer.from(text);
  if (!isCut && bytes.length <= LOGGED_PATH_BYTES_MAX) return bytes.toString();
  return `${bytes.subarray(0, CUT_BYTES).toString()}…`;
}

/** The text without the key that came with it, and without anything that looks like one of ours. */
export const withoutApiKey = (text: string, apiKey: string | null | undefined): string =>
  withoutCredentials(text, apiKey?.trim());
