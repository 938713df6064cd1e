import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes lines of one width for the load generator.
 *
 * @param {string} folder
 * @param {string} name
 * @param {readonly string[]} lines
 * @returns {{ lines: string, width: number }}
 * @throws {Error} Where the widths differ.
 */
export function writeLines(folder, name, lines) {
  const width = lines[0]?.length ?? 0;
  if (width === 0 || lines.some((line) => line.length !== width)) {
    throw new Error(`the lines of ${name} are not of one width`);
  }
  const file = join(folder, `${name}.lines`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  return { lines: file, width };
}
