/**
 * Canonical paths. Nothing is normalised and nothing is decoded (ADR 0005): a path that two parsers could
 * read differently is refused, every other one is matched as it was sent.
 */

/** Longest path, in characters and without its query, that is matched with patterns. */
export const PATH_LENGTH_MAX = 2048;

/** What makes a path ambiguous, one cause per row, tested on the text as it was sent. */
export const AMBIGUITIES = [
  [/[^ -\uffff]|\u007f/, 'a control character'],
  [/[\u0080-\uffff]/, 'a character outside ASCII (percent-encode it)'],
  [/ /, 'a space (write %20)'],
  [/\\/, 'a backslash'],
  [/;/, 'a semicolon, which some routers read as the start of parameters'],
  [/#/, 'a #, which starts a fragment'],
  [/\/\//, 'an empty segment (//)'],
  [/\/(?:\.|%2[eE]){1,2}(?![^/])/, 'a dot segment (. or .., also when encoded)'],
  [/%(?![0-9A-Fa-f]{2})/, 'a % that starts no escape of two hex digits'],
  [/%2[fF]/, 'an encoded slash (%2F)'],
  [/%5[cC]/, 'an encoded backslash (%5C)'],
  [/%25/, 'an encoded percent sign (%25)'],
  [/%3[bB]/, 'an encoded semicolon (%3B)'],
  [/%3[fF]/, 'an encoded question mark (%3F)'],
  [/%23/, 'an encoded # (%23)'],
  [/%(?:[01][0-9A-Fa-f]|7[fF])/, 'an encoded control character'],
] as const satisfies readonly (readonly [RegExp, string])[];

/** All causes at once, for the hot path. */
export const AMBIGUOUS = new RegExp(AMBIGUITIES.map(([cause]) => cause.source).join('|'));

const HIGH_ESCAPE = /%[89A-Fa-f]/;

/**
 * The path that is matched with patterns: the request target as it was sent, without its query and
 * without a trailing slash; the root stays `/`. A canonical path is its own canonical path.
 *
 * Escapes are kept, even unnecessary ones: some routers decode before they match and others do not,
 * so `/v1/%77ild` can match below a prefix, but never the text of a pattern.
 *
 * @param target - A request target in origin-form (RFC 9112, section 3.2.1), with or without query.
 * @returns The canonical path, or null when the target is ambiguous; {@link ambiguityOf} says why.
 * @example canonicalPath('/v1/reports/caf%C3%A9/?page=2') // '/v1/reports/caf%C3%A9'
 */
export function canonicalPath(target: string): string | null {
  const path = withoutQuery(target);
  const refused =
    !path.startsWith('/') ||
    path.length > PATH_LENGTH_MAX ||
    AMBIGUOUS.test(path) ||
    !isUtf8WhenDecoded(path);
  return refused ? null : withoutTrailingSlash(path);
}

export function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/** Overlong forms such as `%C0%AF`, which a lax decoder reads as a slash, are not UTF-8. */
export function isUtf8WhenDecoded(path: string): boolean {
  if (!HIGH_ESCAPE.test(path)) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The root stays `/`. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
