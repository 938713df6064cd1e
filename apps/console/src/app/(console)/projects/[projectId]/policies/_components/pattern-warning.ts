/**
 * Segments that look like a parameter of a router: `{id}`, `:id`, `<id>` and `[id]`, also with the
 * ending of a file.
 */
const PARAMETER = /\/((?:\{[^/]*\}|:[^/]+|<[^/]*>|\[[^/]*\])(?:\.\w+)?)(?=\/|\*?$)/;

/**
 * Says that a pattern allows more than the denied calls that it was suggested for: one sentence, or
 * null.
 *
 * @param pattern in normal form
 * @param denied the shape of their paths, such as `/v1/users/{id}/orders`; empty if there are none
 */
export function wideningOf(pattern: string, denied: string): string | null {
  if (denied === '' || !pattern.endsWith('*')) return null;
  const above = pattern.slice(0, -1);
  const isBelow = `${denied}/`.startsWith(above === '' || above === '/' ? above : `${above}/`);
  if (!isBelow) return null;
  const allowed = above === '' ? 'every path' : `${above} and every path below it`;
  return `This allows more than the denied calls: ${allowed}, not only ${denied}.`;
}

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
