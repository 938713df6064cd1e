import { posix } from 'node:path';
import type { FileFacts, Import } from './facts.ts';
import type { House, Workspace } from './house.ts';

export interface Rule {
  /** What holds, in words that complete "it holds that …". */
  name: string;
  /** `path:line: what is wrong`, for every place that breaks the rule. */
  violations(house: House): string[];
}

/**
 * Who may import whom: `contract ← domain ← schema ← apps` and `contract ← sdk ← examples`. A new
 * workspace has to be given its arrows here.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/domain': ['packages/contract'],
  'packages/schema': ['packages/contract', 'packages/domain'],
  'packages/sdk': ['packages/contract'],
  'apps/runtime': ['packages/contract', 'packages/domain', 'packages/schema'],
  'apps/console': ['packages/contract', 'packages/domain', 'packages/schema'],
  'apps/cli': ['packages/contract', 'packages/domain', 'packages/schema'],
  'examples/express-api': ['packages/sdk'],
  'examples/fastify-api': ['packages/sdk'],
  'examples/next-api': ['packages/sdk'],
  bench: ['packages/contract', 'packages/domain', 'packages/schema', 'packages/sdk'],
};

/** What each inner package may import from outside the house; nobody else is listed. */
const OUTSIDE: Readonly<Record<string, RegExp>> = {
  'packages/contract': /^zod$/,
  'packages/domain': /^node:(?:crypto|zlib)$/,
  'packages/schema': /^(?:node:.*|drizzle-orm(?:\/.*)?|postgres|@node-rs\/argon2)$/,
  'packages/sdk': /^node:/,
};

/** Files that read the environment for a reason of their own, beside each app's `env` file. */
const ENVIRONMENT_READERS: Readonly<Record<string, string>> = {
  'apps/console/src/instrumentation.ts': 'Next.js replaces NEXT_RUNTIME here to drop edge code',
  'examples/next-api/lib/ceiba.js': 'the example shows settings and client in one file',
};

const isTest = (path: string) =>
  /\.(?:test|spec)(?:-d)?\.[jt]sx?$|\/(?:test|tests|fixtures)\//.test(path);
/** Beside `src`, not in it: build scripts and the settings of tools. */
const isTooling = (path: string) =>
  /^(?:(?:packages|apps|examples)\/[^/]+|bench)\/[^/]+\.[cm]?[jt]s$/.test(path);

const workspaceOf = (house: House, path: string) =>
  house.workspaces.find(({ folder }) => path.startsWith(`${folder}/`));

const workspaceNamed = (house: House, specifier: string) =>
  house.workspaces.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));

const isRelative = (specifier: string) => /^\.{1,2}(?:\/|$)/.test(specifier);
/** Names a path of the same workspace, however it is spelt. */
const isWithin = (specifier: string) => isRelative(specifier) || specifier.startsWith('#');
const isBuiltin = (specifier: string) => specifier.startsWith('node:');

/** The path that a relative import, or one by an alias of the workspace (`#…`), names. */
function pathOf(file: FileFacts, specifier: string, own: Workspace): string | undefined {
  if (isRelative(specifier)) return posix.join(posix.dirname(file.path), specifier);
  for (const [alias, target] of Object.entries(own.aliases)) {
    const [before = '', after = ''] = alias.split('*');
    if (!specifier.startsWith(before) || !specifier.endsWith(after)) continue;
    const rest = specifier.slice(before.length, specifier.length - after.length);
    return posix.join(own.folder, target.replace('*', rest));
  }
  return undefined;
}

const isOutside = (house: House, { specifier }: Import) =>
  !isWithin(specifier) && workspaceNamed(house, specifier) === undefined;

/** `@scope/name` or `name` of a specifier with or without a subpath. */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** Judges every import of every file by one question: what is wrong with it, if anything? */
function overImports(
  ask: (house: House, file: FileFacts, found: Import, own: Workspace) => string | undefined,
): Rule['violations'] {
  return (house) =>
    house.files.flatMap((file) => {
      const own = workspaceOf(house, file.path);
      if (own === undefined) return [`${file.path}:1: belongs to no workspace`];
      return file.imports.flatMap((found) => {
        const wrong = ask(house, file, found, own);
        return wrong === undefined ? [] : [`${file.path}:${found.line}: ${wrong}`];
      });
    });
}

export const RULES: readonly Rule[] = [
  {
    name: 'imports follow the arrows: contract ← domain ← schema ← apps, contract ← sdk ← examples',
    violations: overImports((house, _file, { specifier }, own) => {
      const target = workspaceNamed(house, specifier);
      if (target === undefined || target === own) return undefined;
      if (ARROWS[own.folder]?.includes(target.folder)) return undefined;
      return `${own.folder} must not import ${target.folder}`;
    }),
  },
  {
    name: 'a workspace is imported by its name and its exports, never by a path into it',
    violations: overImports((house, file, { specifier }, own) => {
      const target = workspaceNamed(house, specifier);
      if (target !== undefined) {
        return target.entries.includes(specifier)
          ? undefined
          : `${specifier} is not among the exports of ${target.name}`;
      }
      const path = pathOf(file, specifier, own);
      if (path === undefined || path.startsWith(`${own.folder}/`)) return undefined;
      if (isTooling(file.path) && path.startsWith('scripts/')) return undefined;
      return own.folder === 'bench' && path.startsWith('scripts/')
        ? undefined
        : `${specifier} leaves ${own.folder}`;
    }),
  },
  {
    name: 'the inner packages import nothing from outside but what they are made of',
    violations: overImports((house, file, found, own) => {
      const allowed = OUTSIDE[own.folder];
      if (allowed === undefined || isTest(file.path) || isTooling(file.path)) return undefined;
      if (!isOutside(house, found) || allowed.test(found.specifier)) return undefined;
      if (own.folder === 'packages/sdk' && found.isType) return undefined;
      return `${own.folder} must not import ${found.specifier}`;
    }),
  },
  {
    name: 'drizzle-orm, postgres and SQL stay in packages/schema: everybody else calls verbs',
    violations: (house) => [
      ...overImports((_house, _file, { specifier }, own) => {
        if (own.folder === 'packages/schema') return undefined;
        return /^(?:drizzle-orm|drizzle-kit|postgres|pg)$/.test(packageOf(specifier))
          ? `${own.folder} must not import ${specifier}`
          : undefined;
      })(house),
      ...house.files
        .filter(({ path }) => /^(?:apps|examples|packages)\//.test(path) && !isTest(path))
        .filter(({ path }) => !path.startsWith('packages/schema/'))
        .flatMap(({ path, sqlLines }) => sqlLines.map((line) => `${path}:${line}: holds SQL`)),
    ],
  },
  {
    name: 'tables leave packages/schema by no export',
    violations: overImports((_house, file, { specifier }) =>
      file.path === 'packages/schema/src/index.ts' && specifier === './tables.ts'
        ? 'the index must not export tables'
        : undefined,
    ),
  },
  {
    name: 'what a "use client" file brings along holds no schema and no domain',
    violations: (house) => clientViolations(house),
  },
  {
    name: 'a server action works on the database that it was given, within its one budget of time',
    violations: overImports((_house, file, { specifier }, own) =>
      file.directives.includes('use server') &&
      pathOf(file, specifier, own) === 'apps/console/src/server/database.ts'
        ? 'opens the database a second time'
        : undefined,
    ),
  },
  {
    name: 'process.env is read in one env file an app, and in no package',
    violations: ({ files }) =>
      files
        .filter(({ path }) => !isTest(path) && !isTooling(path) && !path.startsWith('bench/'))
        .filter(({ path }) => !/^(?:apps|examples)\/[^/]+\/src\/env\.m?[jt]s$/.test(path))
        .filter(({ path }) => ENVIRONMENT_READERS[path] === undefined)
        .flatMap(({ path, environmentReads }) =>
          environmentReads.map((line) => `${path}:${line}: reads process.env`),
        ),
  },
  {
    name: 'contract and domain have no clock, no randomness and no I/O of their own',
    violations: ({ files }) =>
      files
        .filter(({ path }) => /^packages\/(?:contract|domain)\/src\//.test(path) && !isTest(path))
        .flatMap(({ path, impureLines, environmentReads }) =>
          [...impureLines, ...environmentReads].map(
            (line) => `${path}:${line}: takes something from its surroundings`,
          ),
        ),
  },
  {
    name: 'a workspace declares every package that it loads',
    violations: overImports((house, file, found, own) => {
      if (isBuiltin(found.specifier) || isWithin(found.specifier)) return undefined;
      const name = workspaceNamed(house, found.specifier)?.name ?? packageOf(found.specifier);
      if (name === own.name || own.dependencies.includes(name)) return undefined;
      const isDevelopment = found.isType || isTest(file.path) || isTooling(file.path);
      // What the sdk shares with the contract is bundled into it.
      const isBundled = own.folder === 'packages/sdk' && name === '@ceiba/contract';
      if ((isDevelopment || isBundled) && own.devDependencies.includes(name)) return undefined;
      if (isDevelopment && SHARED_TOOLS.includes(name)) return undefined;
      return `${name} is not among the dependencies of ${own.folder}`;
    }),
  },
];

/** What the root declares for every workspace's tests and builds. */
const SHARED_TOOLS = ['vitest', 'esbuild', 'typescript', '@playwright/test'];

/** Walks from each client file through the files that it brings along, types aside. */
function clientViolations(house: House): string[] {
  const byPath = new Map(house.files.map((file) => [withoutExtension(file.path), file]));
  const found = (file: FileFacts, specifier: string) => {
    const own = workspaceOf(house, file.path);
    const path = own && pathOf(file, specifier, own);
    if (path === undefined) return undefined;
    const bare = withoutExtension(path);
    return byPath.get(bare) ?? byPath.get(`${bare}/index`);
  };
  const forbidden = new Map<string, string>();
  for (const start of house.files.filter(({ directives }) => directives.includes('use client'))) {
    const seen = new Set<FileFacts>();
    const queue: FileFacts[] = [start];
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      // A server action is called over the network; its file stays on the server.
      if (file !== start && file.directives.includes('use server')) continue;
      for (const { specifier, isType, line } of file.imports) {
        if (isForClients(specifier)) {
          if (!isType) queue.push(...[found(file, specifier)].filter((next) => next !== undefined));
        } else if (file === start || !isType) {
          forbidden.set(
            `${file.path}:${line}`,
            `${file.path}:${line}: ${specifier} would reach the browser by ${start.path}`,
          );
        }
      }
    }
  }
  return [...forbidden.values()];
}

const isForClients = (specifier: string) => !/^@ceiba\/(?:schema|domain)(?:\/|$)/.test(specifier);
const withoutExtension = (path: string) => path.replace(/\.(?:[cm]?[jt]s|[jt]sx)$/, '');
