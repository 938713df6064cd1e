/** Segments that look like a parameter of a router: `{id}`, `:id`, `<id>` and `[id]`. */
const PARAMETER = /\/(\{[^/]*\}|:[^/]+|<[^/]*>|\[[^/]*\])(?=\/|\*?$)/;

/**
 * Warns about a valid pattern that may not mean what its author expects: one sentence, or null.
 *
 * @param pattern in normal form
 */
export function warningOf(pattern: string): string | null {
  if (pattern === '*') {
    return 'A bare * matches every path, even an ambiguous one such as /v1/../admin. To allow all unambiguous paths, write /*.';
  }
  const [, parameter] = PARAMETER.exec(pattern) ?? [];
  if (parameter === undefined) return null;
  const above = pattern.slice(0, pattern.indexOf(`/${parameter}`));
  return `Patterns have no parameters: ${parameter} matches only this text. To match any value there, write ${above}/*.`;
}
