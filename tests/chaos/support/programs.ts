import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CHARGE_FILES } from '../../../apps/runtime/src/limiter/charge-script.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A replacement of one line of the built Runtime. */
export interface Edit {
  file: 'main.js' | (typeof CHARGE_FILES)[number] | 'trim.lua';
  /** A text that is in the file exactly once. */
  find: string;
  replace: string;
}

export interface ProgramCopy {
  /** The path for `startRuntime`. */
  readonly program: string;
  remove(): void;
}

const builtProgram = join(root, 'apps/runtime/dist/main.js');
/** The files that a copy needs: it is a module, and resolves its packages from its folder. */
const MANIFEST = 'package.json';
const PACKAGES = 'node_modules';

/**
 * Copies the built Runtime and applies edits, so that the product needs no switches for tests. A copy
 * without edits is useful too: a concurrent build does not change it.
 *
 * @param program the program to copy; this workspace's by default
 * @throws Error if a text to replace is not in its file exactly once
 */
export function copyProgram(edits: readonly Edit[] = [], program = builtProgram): ProgramCopy {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-program-'));
  const isOfProgram = (path: string) => ![MANIFEST, PACKAGES].includes(basename(path));
  cpSync(dirname(program), folder, { recursive: true, filter: isOfProgram });
  writeFileSync(join(folder, MANIFEST), '{ "type": "module" }\n');
  symlinkSync(join(root, PACKAGES), join(folder, PACKAGES));
  for (const { file, find, replace } of edits) {
    const path = join(folder, file);
    const pieces = readFileSync(path, 'utf8').split(find);
    if (pieces.length !== 2) {
      throw new Error(`${file} has this ${pieces.length - 1} times instead of once: ${find}`);
    }
    writeFileSync(path, pieces.join(replace));
  }
  return {
    program: join(folder, 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
