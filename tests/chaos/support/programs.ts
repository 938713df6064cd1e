import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** One line of the built Runtime, to be replaced. */
export interface Edit {
  file: 'main.js' | 'charge.lua' | 'trim.lua';
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
}

export interface ProgramCopy {
  /** For `startRuntime`. */
  readonly program: string;
  remove(): void;
}

const builtProgram = join(root, 'apps/runtime/dist/main.js');
/** What a copy needs of its surroundings: it is a module, and finds its packages from its place. */
const MANIFEST = 'package.json';
const PACKAGES = 'node_modules';

/**
 * Copies the built Runtime, with changes where some are given: what ships stays free of switches
 * for tests. Also a copy without a change is of use: a build beside the tests does not touch it.
 *
 * @param program The one to copy; default: this workspace's.
 * @throws Error where a text to be replaced does not stand in its file exactly once
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
      throw new Error(`${file} holds this ${pieces.length - 1} times instead of once: ${find}`);
    }
    writeFileSync(path, pieces.join(replace));
  }
  return {
    program: join(folder, 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
