/**
 * Canonical request paths, policy patterns and the match between them.
 *
 * Nothing is normalised and nothing is decoded (ADR 0005). A path that
 * two parsers could read differently is refused; every other path is matched as it was sent, because
 * the host's router and Ceiba must agree on it.
 */

/** Longest path, in characters and without its query, that is matched with patterns. */
export const PATH_LENGTH_MAX = 2048;
/** Longest method, in characters, that a policy can name; the wire accepts no longer one. */
export const METHOD_LENGTH_MAX = 64;

/** What makes a path ambiguous, one cause per row, tested on the text as it was sent. */
const AMBIGUITIES = [
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

/** All causes in one expression, for the hot path. */
const AMBIGUOUS = new RegExp(AMBIGUITIES.map(([cause]) => cause.source).join('|'));

const HIGH_ESCAPE = /%[89A-Fa-f]/;
/** RFC 3986, section 2.3. */
const UNRESERVED_ESCAPE = /%(?:2[DEde]|3\d|4[1-9A-Fa-f]|5[\dAFaf]|6[1-9A-Fa-f]|7[\dAEae])/;

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

function ambiguousPart(path: string): string | null {
  for (const [cause, words] of AMBIGUITIES) if (cause.test(path)) return words;
  return isUtf8WhenDecoded(path) ? null : 'escapes that are not valid UTF-8';
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/** Overlong forms such as `%C0%AF`, which a lax decoder reads as a slash, are not UTF-8. */
function isUtf8WhenDecoded(path: string): boolean {
  if (!HIGH_ESCAPE.test(path)) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

export type ParsedPathPattern = { ok: true; pattern: string } | { ok: false; reason: string };

/**
 * Parses a path pattern as a user typed it, and returns the form in which it is stored and compared.
 *
 * @returns The pattern without a trailing slash (`/v1/reports/*` becomes `/v1/reports*`), or the
 *   reason why it is invalid, to complete "the path pattern …".
 */
export function parsePathPattern(text: string): ParsedPathPattern {
  if (text === '*') return { ok: true, pattern: '*' };
  const isPrefix = text.endsWith('*');
  const base = isPrefix ? text.slice(0, -1) : text;
  const reason = whyUnmatchable(base);
  if (reason !== null) return { ok: false, reason };
  const path = withoutTrailingSlash(base);
  return { ok: true, pattern: isPrefix ? `${path}*` : path };
}

/**
 * A regular expression for what {@link parsePathPattern} accepts, for schemas of files. It also accepts
 * escapes that are not UTF-8, and a path of any length.
 */
export const PATH_PATTERN_SOURCE = String.raw`^(?:\*|(?!.*(?:${AMBIGUOUS.source}|${UNRESERVED_ESCAPE.source}|\/(?:\.|%2[eE]){1,2}\*))\/[^*?]*\*?)$`;

function whyUnmatchable(base: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(base)) return 'must be a path alone, without scheme and host';
  if (!base.startsWith('/')) return 'must start with / (or be a single *)';
  if (base.includes('*')) return 'may hold a * only as its last character';
  if (base.includes('?')) return 'must not hold a query: paths are matched without theirs';
  if (base.length > PATH_LENGTH_MAX) return `must be at most ${PATH_LENGTH_MAX} characters`;
  const cause = ambiguousPart(base);
  if (cause !== null) return `must not hold ${cause}`;
  const escaped = UNRESERVED_ESCAPE.exec(base)?.[0];
  return escaped ? `must not hold ${escaped}: write ${decodeURIComponent(escaped)}` : null;
}

export type ParsedPolicyMethod = { ok: true; method: string } | { ok: false; reason: string };

/** A token (RFC 9110, section 5.6.2) without `*`, which means every method. */
const TOKEN = /^[!#$%&'+.^_`|~0-9A-Za-z-]+$/;
/** A regular expression for what {@link parsePolicyMethod} accepts, for schemas of files. */
export const POLICY_METHOD_SOURCE = `^(?:\\*|[!#$%&'+.^_\`|~0-9A-Z-]{1,${METHOD_LENGTH_MAX}})$`;

/**
 * Parses the method of a policy: one HTTP method, or `*` for every method. GET does not imply HEAD.
 *
 * @returns The method, or the reason why it is invalid, to complete "the method …".
 */
export function parsePolicyMethod(text: string): ParsedPolicyMethod {
  if (text === '*') return { ok: true, method: text };
  const reason = whyNoMethod(text);
  return reason === null ? { ok: true, method: text } : { ok: false, reason };
}

function whyNoMethod(text: string): string | null {
  if (text.length > METHOD_LENGTH_MAX) return `must be at most ${METHOD_LENGTH_MAX} characters`;
  if (!TOKEN.test(text)) return 'must be one HTTP method such as GET, or * for every method';
  const upperCased = text.toUpperCase();
  return text === upperCased
    ? null
    : `must be in upper case, because methods are case-sensitive: write ${upperCased}`;
}
