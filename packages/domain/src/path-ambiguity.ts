/** Says why a path is ambiguous; `path.ts` has the rules. */
import { AMBIGUITIES, isUtf8WhenDecoded, PATH_LENGTH_MAX, withoutQuery } from './path.ts';

/**
 * Why a request target is ambiguous, to complete "the path …"; null when it is not.
 * Exactly one of this and {@link canonicalPath} is null.
 *
 * @example ambiguityOf('/v1/%2e%2e/admin') // 'holds a dot segment (. or .., also when encoded)'
 */
export function ambiguityOf(target: string): string | null {
  const path = withoutQuery(target);
  if (!path.startsWith('/')) return 'does not start with /';
  if (path.length > PATH_LENGTH_MAX) return `is longer than ${PATH_LENGTH_MAX} characters`;
  const cause = ambiguousPart(path);
  return cause === null ? null : `holds ${cause}`;
}

/** What makes a path ambiguous, as text; null where nothing does. */
export function ambiguousPart(path: string): string | null {
  for (const [cause, words] of AMBIGUITIES) if (cause.test(path)) return words;
  return isUtf8WhenDecoded(path) ? null : 'escapes that are not valid UTF-8';
}
