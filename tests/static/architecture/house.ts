import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileFacts, factsOf } from './facts.ts';

/** A workspace, and what its manifest declares. */
export interface Workspace {
  /** From the root: `packages/domain`. */
  folder: string;
  /** `@ceiba/domain`. */
  name: string;
  /** The specifiers that other workspaces may import it by. */
  entries: string[];
  /** Its names for paths of its own: `#*` for `./src/*`. */
  aliases: Record<string, string>;
  /** Packages that its code may load. */
  dependencies: string[];
  /** Packages that its types, tests and build may use besides. */
  devDependencies: string[];
}

/** The repository, as far as the rules look at it. */
export interface House {
  workspaces: Workspace[];
  files: FileFacts[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const WORKSPACE_PARENTS = ['packages', 'apps', 'examples'];
const SKIPPED = new Set(['node_modules', 'dist', '.next', '.turbo', 'coverage', 'public']);
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Reads every workspace's source, tests and build files among them. */
export function readHouse(): House {
  const folders = [
    ...WORKSPACE_PARENTS.flatMap((parent) =>
      readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
    ),
    'bench',
  ];
  return {
    workspaces: folders.map(readWorkspace),
    files: folders.flatMap(sourcesBelow).map((path) => {
      return factsOf(path, readFileSync(join(root, path), 'utf8'));
    }),
  };
}

interface Manifest {
  name: string;
  exports?: Record<string, unknown>;
  imports?: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function readWorkspace(folder: string): Workspace {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { name, exports = {}, imports = {} } = manifest;
  const { dependencies, peerDependencies, devDependencies } = manifest;
  return {
    folder,
    name,
    entries: Object.keys(exports).map((entry) => name + entry.slice(1)),
    aliases: imports,
    dependencies: Object.keys({ ...dependencies, ...peerDependencies }),
    devDependencies: Object.keys(devDependencies ?? {}),
  };
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sourcesBelow(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
