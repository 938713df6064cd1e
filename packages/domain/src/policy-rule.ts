/** The method and the path pattern of a policy, as a user writes them; requests see `path.ts`. */
import { AMBIGUOUS, PATH_LENGTH_MAX, withoutTrailingSlash } from './path.ts';
import { ambiguousPart } from './path-ambiguity.ts';

/** Longest method, in characters, that a policy can name; the wire accepts no longer one. */
export const METHOD_LENGTH_MAX = 64;

/** RFC 3986, section 2.3. */
const UNRESERVED_ESCAPE = /%(?:2[DEde]|3\d|4[1-9A-Fa-f]|5[\dAFaf]|6[1-9A-Fa-f]|7[\dAEae])/;

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
