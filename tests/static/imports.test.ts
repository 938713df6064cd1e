import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import rules from './import-rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['packages', 'apps', 'examples', 'bench', 'scripts', 'tests'];
const directiveOf = (path: string) =>
  /^['"]use (client|server)['"]/m.exec(readFileSync(path, 'utf8'))?.[1];

interface Breach {
  rule: string;
  file: string;
}

/** The imports of a tree that break a rule, and the files that were read. */
async function cruiseTree(baseDir: string) {
  const tsConfig = { ...rules.options?.tsConfig, fileName: join(root, 'tsconfig.base.json') };
  const { output } = await cruise(FOLDERS, {
    ...rules.options,
    tsConfig,
    baseDir,
    validate: true,
    ruleSet: { forbidden: rules.forbidden as IForbiddenRuleType[] },
  });
  const { summary, modules } = output as ICruiseResult;
  const breaches = summary.violations.map(
    ({ rule, from }): Breach => ({ rule: rule.name, file: from }),
  );
  return { breaches, modules };
}

/**
 * The `use client` files from which imports lead to the schema or the domain. A server action is
 * called over the network, so its file stays on the server; type imports load no code.
 */
function browserBreachesOf(baseDir: string, modules: ICruiseResult['modules']) {
  const importsOf = new Map(
    modules.map(({ source, dependencies }) => [
      source,
      dependencies
        .filter(({ dependencyTypes }) => !dependencyTypes.includes('type-only'))
        .map(({ resolved }) => resolved),
    ]),
  );
  const console = [...importsOf.keys()].filter((path) => path.startsWith('apps/console/src/'));
  const directives = new Map(console.map((path) => [path, directiveOf(join(baseDir, path))]));
  const clients = console.filter((path) => directives.get(path) === 'client');
  const leads = (client: string) => {
    const reached = new Set([client]);
    for (const path of reached) {
      if (/^packages\/(?:schema|domain\/src\/(?!(?:constants|labels|limits)\.ts$))/.test(path))
        return true;
      if (directives.get(path) === 'server') continue;
      for (const next of importsOf.get(path) ?? []) reached.add(next);
    }
    return false;
  };
  return { clients, breaches: clients.filter(leads) };
}

/**
 * The files of server actions, by their directive, that import the pools: an action uses the database of
 * its context, which limits its time and knows its right.
 */
function actionBreachesOf(baseDir: string, modules: ICruiseResult['modules']) {
  const actions = modules.filter(
    ({ source }) =>
      source.startsWith('apps/console/src/') && directiveOf(join(baseDir, source)) === 'server',
  );
  const pools = /^apps\/console\/src\/server\/(database|session-database|pool)\.ts$/;
  const breaches = actions.filter(({ dependencies }) =>
    dependencies.some(({ resolved }) => pools.test(resolved)),
  );
  return { actions, breaches: breaches.map(({ source }) => source) };
}

describe('the imports of the repository', () => {
  let tree: Awaited<ReturnType<typeof cruiseTree>>;
  beforeAll(async () => {
    tree = await cruiseTree(root);
  });

  test('break no rule', () => {
    expect(tree.breaches).toEqual([]);
  });

  test('include every workspace', () => {
    const sources = tree.modules.map(({ source }) => source);
    const folders = new Set(sources.map((path) => /^(?:bench|[^/]+\/[^/]+)\//.exec(path)?.[0]));
    for (const folder of ['packages/sdk/', 'apps/console/', 'examples/next-api/', 'bench/']) {
      expect(folders).toContain(folder);
    }
    expect(tree.modules.flatMap(({ dependencies }) => dependencies).length).toBeGreaterThan(1500);
  });

  test('load neither schema nor domain into the browser', () => {
    const { breaches, clients } = browserBreachesOf(root, tree.modules);
    expect(clients.length).toBeGreaterThan(50);
    expect(breaches).toEqual([]);
  });

  test('give no server action a database of its own', () => {
    const { actions, breaches } = actionBreachesOf(root, tree.modules);
    expect(actions.length).toBeGreaterThan(20);
    expect(breaches).toEqual([]);
  });
});

/** Files that break a rule, by the rule that has to find them. */
const BREACHES: Record<string, Record<string, string>> = {
  'arrows-of-packages-contract': {
    'packages/contract/src/a.ts': "import type { A } from '@ceiba/domain';",
  },
  'arrows-of-packages-domain': {
    'packages/domain/src/a.ts': "import '@ceiba/schema';",
    'packages/domain/src/a.test.ts': "import '@ceiba/schema';",
  },
  'arrows-of-packages-process': { 'packages/process/src/a.ts': "import '@ceiba/schema';" },
  'arrows-of-packages-schema': { 'packages/schema/src/a.ts': "import '@ceiba/sdk';" },
  'arrows-of-packages-sdk': {
    'packages/sdk/src/a.ts': "export * from '@ceiba/domain';",
    'packages/sdk/src/b.ts': "export const load = () => import('@ceiba/schema');",
  },
  'arrows-of-packages-manage': { 'packages/manage/src/a.ts': "import '@ceiba/process';" },
  'arrows-of-packages-alerts': { 'packages/alerts/src/a.ts': "import '@ceiba/sdk';" },
  'arrows-of-packages-build': { 'packages/build/src/a.mjs': "import '@ceiba/devstack';" },
  'arrows-of-packages-devstack': { 'packages/devstack/src/a.ts': "import '@ceiba/schema';" },
  'arrows-of-apps': { 'apps/cli/src/a.ts': "import '@ceiba/runtime';" },
  'arrows-of-examples': { 'examples/host/src/a.ts': "import '@ceiba/contract';" },
  'arrows-of-bench': { 'bench/a.ts': "import '@ceiba/runtime';" },
  'by-name': { 'apps/cli/src/b.ts': "import '../../runtime/src/index.ts';" },
  'no-tests-in-code': {
    'apps/cli/src/c.ts': "import './c.test.ts';",
    'apps/cli/src/j.ts': "import '@ceiba/build';",
  },
  'before-install': {
    'scripts/bootstrap.mjs': "import 'postgres';",
  },
  resolvable: { 'apps/cli/src/d.ts': "import '@ceiba/schema/src/tables.ts';" },
  'no-circle': { 'apps/cli/src/e.ts': "import './f.ts';" },
  'made-of-contract': { 'packages/contract/src/b.ts': "import 'node:fs';" },
  'made-of-domain': { 'packages/domain/src/b.ts': "import 'node:fs';" },
  'made-of-manage': { 'packages/manage/src/b.ts': "import 'undici';" },
  'made-of-process': { 'packages/process/src/b.ts': "import 'undici';" },
  'made-of-schema': { 'packages/schema/src/b.ts': "import 'ioredis';" },
  'made-of-sdk': { 'packages/sdk/src/c.ts': "import 'undici';" },
  'sql-stays-in-schema': { 'apps/cli/src/g.ts': "import 'postgres';" },
  'tables-stay-in-schema': { 'packages/schema/src/index.ts': "export * from './tables.ts';" },
  'constants-import-nothing': { 'packages/domain/src/constants.ts': "import './index.ts';" },
  'core-knows-no-http': { 'apps/runtime/src/a.ts': "import './http/b.ts';" },
  'usage-below-limiter': { 'apps/runtime/src/usage/a.ts': "import '../limiter/b.ts';" },
  'components-hold-no-server-code': {
    'apps/console/src/components/b.ts': "import '../server/database.ts';",
    'apps/console/src/components/c.ts': "import { a } from '@ceiba/schema'; export const b = a;",
  },
  'accounts-have-one-door': {
    'apps/console/src/server/a.ts': "import './accounts/seal.ts';",
  },
  'console-is-closed': {
    'tests/a.test.ts': "import '../apps/console/src/server/database.ts';",
  },
  'components-below-app': {
    'apps/console/src/components/a.ts': "import '../app/keys/actions.ts';",
  },
  declared: { 'apps/cli/src/h.ts': "import 'hono';" },
  'no-development-packages': { 'apps/cli/src/i.ts': "import 'esbuild';" },
};

/** What the breaches import; correct, except for the other half of the cycle. */
const SOUND: Record<string, string> = {
  'apps/cli/src/c.test.ts': '',
  'apps/cli/src/f.ts': "import './e.ts';",
  'apps/runtime/src/http/b.ts': '',
  'apps/runtime/src/limiter/b.ts': '',
  'apps/console/src/server/database.ts': "import '@ceiba/schema';",
  'apps/console/src/server/accounts/seal.ts': '',
  'apps/console/src/app/keys/actions.ts': "'use server';",
  'apps/console/src/app/keys/more.ts': '"use server"; import "../../server/database.ts";',
  'apps/console/src/client.ts': "'use client'; import './helper.ts'; import './action.ts';",
  'apps/console/src/helper.ts': "import './deeper.ts';",
  'apps/console/src/deeper.ts': "import '@ceiba/domain';",
  'apps/console/src/action.ts': "'use server'; import '@ceiba/schema';",
  'apps/console/src/sound.ts':
    "'use client'; import type { A } from '@ceiba/domain'; import './action.ts'; export let a: A;",
};

const PACKAGES = ['ioredis', 'undici', 'postgres', 'hono', 'esbuild'];

describe('a breach', () => {
  let tree: string;
  let cruised: Awaited<ReturnType<typeof cruiseTree>>;
  beforeAll(async () => {
    tree = mkdtempSync(join(tmpdir(), 'ceiba-imports-'));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    };
    const packages = [
      'alerts',
      'build',
      'contract',
      'devstack',
      'domain',
      'manage',
      'process',
      'schema',
      'sdk',
    ];
    const workspaces = packages.map((name) => `packages/${name}`);
    for (const folder of [
      ...workspaces,
      'apps/runtime',
      'apps/cli',
      'apps/console',
      'examples/host',
    ]) {
      const name = `@ceiba/${folder.split('/')[1]}`;
      const dependencies = {
        '@ceiba/schema': '*',
        '@ceiba/domain': '*',
        '@ceiba/runtime': '*',
        postgres: '*',
      };
      const manifest = {
        name,
        exports: { '.': './src/index.ts' },
        dependencies,
        devDependencies: { esbuild: '*' },
      };
      write(`${folder}/package.json`, JSON.stringify(manifest));
      write(`${folder}/src/index.ts`, 'export type A = string;');
      mkdirSync(join(tree, 'node_modules/@ceiba'), { recursive: true });
      symlinkSync(join(tree, folder), join(tree, 'node_modules', name));
    }
    write('packages/schema/src/tables.ts', '');
    for (const name of PACKAGES) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
      write(`node_modules/${name}/index.js`, '');
    }
    for (const files of [SOUND, ...Object.values(BREACHES)]) {
      for (const [path, text] of Object.entries(files)) write(path, text);
    }
    cpSync(join(root, 'tsconfig.base.json'), join(tree, 'tsconfig.base.json'));
    cruised = await cruiseTree(tree);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  test('is found by the rule that it breaks, for every rule', () => {
    const { breaches } = cruised;
    const expected = Object.entries(BREACHES).flatMap(([rule, files]) =>
      Object.keys(files).map((file) => ({ rule, file })),
    );
    expect(breaches).toEqual(expect.arrayContaining(expected));
    expect(Object.keys(BREACHES).sort()).toEqual(rules.forbidden?.map(({ name }) => name).sort());
  });

  test('in the browser is found through the files in between', () => {
    expect(browserBreachesOf(tree, cruised.modules).breaches).toEqual([
      'apps/console/src/client.ts',
    ]);
  });

  test('in a server action is found by its directive, whatever its file is called', () => {
    expect(actionBreachesOf(tree, cruised.modules).breaches).toEqual([
      'apps/console/src/app/keys/more.ts',
    ]);
  });
});
