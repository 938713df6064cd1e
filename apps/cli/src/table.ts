/**
 * Rows below their heads, each column as wide as its widest cell.
 *
 * @param rows the last cell of each is the one that has any width, such as a name
 */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
