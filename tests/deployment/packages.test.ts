import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { createDatabase } from '@ceiba/devstack/databases';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setup as buildSdk } from '../sdk/support/build-sdk.ts';

/*
 * The packages as npm would get them: packed, with the address that the release workflow writes into
 * them. tests/sdk/package.test.ts runs the library in projects of its users.
 */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-packages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADDRESS = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'acme/ceiba' };
const PACKAGES = { '@ceiba/sdk': 'packages/sdk', '@ceiba/cli': 'apps/cli' } as const;
type Name = keyof typeof PACKAGES;
const NAMES = Object.keys(PACKAGES) as Name[];
const inCopy = (name: Name) => join(folder, 'copy', PACKAGES[name]);
const tarballs = {} as Record<Name, string>;

const npm = (args: readonly string[], cwd: string) =>
  run('npm', args, { cwd, shell: process.platform === 'win32' });

beforeAll(async () => {
  buildSdk();
  execFileSync(process.execPath, [join(root, 'apps/cli/build.mjs')]);
  mkdirSync(join(folder, 'copy/.ci'), { recursive: true });
  for (const path of ['package.json', '.ci/name-repository']) {
    cpSync(join(root, path), join(folder, 'copy', path));
  }
  for (const name of NAMES) {
    cpSync(join(root, PACKAGES[name]), inCopy(name), {
      recursive: true,
      filter: (path) => !/\/(?:src|node_modules)$/.test(path),
    });
  }
  await run(join(folder, 'copy/.ci/name-repository'), { env: { ...process.env, ...ADDRESS } });
  for (const name of NAMES) {
    await npm(['pack', '--ignore-scripts', '--pack-destination', folder], inCopy(name));
    const prefix = name.replace('@', '').replace('/', '-');
    tarballs[name] = join(folder, readdirSync(folder).find((file) => file.startsWith(prefix))!);
  }
}, 180_000);

// Before its first release a package has a version with a suffix, which npm refuses without a tag.
const DRY_RUN = ['publish', '--dry-run', '--offline', '--ignore-scripts', '--tag', 'latest'];

/** The files of a tarball. */
async function filesOf(name: Name): Promise<string[]> {
  const args = [...DRY_RUN, '--json', tarballs[name]];
  const report = JSON.parse((await npm(args, folder)).stdout);
  const { files } = report[name] ?? report;
  return files.map(({ path }: { path: string }) => path);
}

describe.each(NAMES)('%s', (name) => {
  it('can be published: npm finds nothing to correct', async () => {
    const { stderr } = await npm([...DRY_RUN, tarballs[name]], folder);
    expect(stderr).toContain('latest and public access (dry-run)');
    expect(stderr).not.toMatch(/corrected|npm error/);
  });

  it('has no findings in publint', async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({ pkgDir: inCopy(name), pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it('contains no source, test, source map, secret or path of the machine that built it', async () => {
    const files = await filesOf(name);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    const others = files.filter(
      (file) =>
        !/^(?:LICENSE|README\.md|package\.json|(?:bin|dist)\/[^.].*|ceiba\.schema\.json)$/.test(
          file,
        ),
    );
    expect(others).toEqual([]);
    expect(files.filter((file) => /\.map$|\.test\.|(?:^|\/)\.|src\//.test(file))).toEqual([]);
    const texts = files.map((file) => readFileSync(join(inCopy(name), file), 'utf8')).join('\n');
    expect(texts).not.toContain(root);
    expect(texts).not.toMatch(
      /\bceiba_(?:live|test)_[A-Za-z0-9]{16,}|postgres:\/\/[^\s'"`@]+:[^\s'"`@]+@/,
    );
  });
});

describe('@ceiba/sdk', () => {
  it('has types that resolve in CommonJS, in ES modules and for bundlers', async () => {
    const packed = createPackageFromTarballData(readFileSync(tarballs['@ceiba/sdk']));
    const checked = await checkPackage(packed);
    if (!checked.types) throw new Error('the package has no types');
    expect(checked.problems).toEqual([]);
    expect(Object.keys(checked.entrypoints)).toContain('./express');
  }, 120_000);
});

describe('@ceiba/cli', () => {
  it('contains the JSON Schema of ceiba.yaml', async () => {
    expect(await filesOf('@ceiba/cli')).toContain('ceiba.schema.json');
  });

  it('declares exactly the packages that its bundle imports, in the versions of the workspace', () => {
    const manifest = JSON.parse(readFileSync(join(inCopy('@ceiba/cli'), 'package.json'), 'utf8'));
    const bundle = readFileSync(join(inCopy('@ceiba/cli'), 'dist/main.js'), 'utf8');
    const imports = importedBy(bundle)
      .filter((path) => !isBuiltin(path))
      .map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(imports)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
    const internal = ['contract', 'domain', 'process', 'schema'].map((each) =>
      JSON.parse(readFileSync(join(root, 'packages', each, 'package.json'), 'utf8')),
    );
    const versions = Object.assign({}, ...internal.map(({ dependencies }) => dependencies));
    expect({ ...versions, ...manifest.dependencies }).toEqual({
      ...manifest.dependencies,
      ...versions,
    });
  });

  it('runs from the tarball in an empty folder, with its own migrations', async ({ skip }) => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--prefix', empty];
    const failed = await npm(['install', ...flags, tarballs['@ceiba/cli']], empty).then(
      () => undefined,
      (error) => error,
    );
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(failed?.stderr)) return skip('no npm registry');
    if (failed) throw failed;

    const database = await createDatabase(process.env.DATABASE_URL!, { prefix: 'ceiba_packages' });
    try {
      const program = join(empty, 'node_modules/.bin/ceiba');
      const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
      const ceiba = async (...args: string[]) =>
        (await run(program, args, { cwd: empty, env, shell: process.platform === 'win32' })).stdout;
      const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
      const newest = readdirSync(join(root, 'drizzle'))
        .filter((file) => file.endsWith('.sql'))
        .map((file) => file.replace('.sql', ''))
        .sort()
        .at(-1);
      expect(await ceiba('--version')).toBe(`ceiba ${version} (schema ${newest})\n`);
      expect(await ceiba('migrate')).toMatch(new RegExp(`^Applied \\d+ .* at ${newest}\\.\n$`));
      expect(await ceiba('migrate')).toBe(`Nothing to do: the database is at ${newest}.\n`);
    } finally {
      await database.drop();
    }
  }, 180_000);
});

/** What a module imports, static and dynamic. */
function importedBy(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const from = ts.isImportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : undefined;
    if (from !== undefined && ts.isStringLiteral(from)) found.push(from.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('bundle.js', source, ts.ScriptTarget.Latest));
  return found;
}
