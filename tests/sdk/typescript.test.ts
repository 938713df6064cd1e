import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installSdk, packSdk } from './support/packed-sdk.ts';

/*
 * The packed package as TypeScript projects use it: every module resolution that a compiler has, strict
 * or not, and the first snippets of the documents, which are JavaScript that TypeScript accepts as well.
 */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-sdk-typescript-'));
let tarball: string;
beforeAll(async () => {
  ({ tarball } = await packSdk(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FRAMEWORKS = {
  '@types': '@types',
  '@hono': '@hono',
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
  'undici-types': 'undici-types',
};

/** Compiles a project without writing; the text is empty if there is nothing to report. */
async function compile(
  project: string,
  config: object,
  compiler: string = 'typescript',
): Promise<string> {
  const path = join(project, 'tsconfig.json');
  writeFileSync(path, JSON.stringify(config));
  const manifest = createRequire(import.meta.url).resolve(`${compiler}/package.json`);
  const tsc = join(manifest, '../bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', path]).catch((error) => error);
  return stdout;
}

const BASE = {
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
};

const PAGES = [
  ...['README.md', 'packages/sdk/README.md'],
  ...['fastify', 'hono', 'next', 'fetch'].map((name) => `docs/learn/frameworks/${name}.md`),
];

/** Writes the snippets of those pages as TypeScript, and returns the names of their files. */
function writeSnippets(project: string): string[] {
  return PAGES.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const snippets = [...text.matchAll(/^```(?:js|ts)\n(?:\/\/ (\S+)\n)?(.*?)^```$/gms)];
    // Those of WebSockets and CORS need packages that this project does not have.
    const first = snippets.filter(([, name = '']) => !/^(?:cors|websocket)-/.test(name));
    return first.map(([, name = 'start.mjs', code = '']) => {
      const file = name.replace('.mjs', '.mts');
      writeFileSync(join(project, file), code);
      return file;
    });
  });
}

/**
 * The oldest and the newest compiler with each resolution that they have: TypeScript 7 has no `node10`.
 * The one between, which is that of the workspace, warns that `node10` is deprecated.
 */
const COMPILERS = {
  typescript5: ['node10', 'node16', 'nodenext', 'bundler'],
  typescript: ['node10'],
  typescript7: ['node16', 'nodenext', 'bundler'],
} as const;
type Compiler = keyof typeof COMPILERS;

function settingsOf(compiler: Compiler, moduleResolution: string): object {
  if (moduleResolution === 'bundler') {
    return { module: 'esnext', moduleResolution, lib: ['es2023', 'dom'] };
  }
  if (moduleResolution !== 'node10') return { module: moduleResolution, moduleResolution };
  const silent = compiler === 'typescript' ? { ignoreDeprecations: '6.0' } : {};
  return { module: 'commonjs', esModuleInterop: true, moduleResolution, ...silent };
}

const MATRIX = [
  ...Object.entries(COMPILERS).flatMap(([compiler, resolutions]) =>
    resolutions.map((resolution) => [compiler as Compiler, resolution, true] as const),
  ),
  // Only inference differs without `strict`, whatever finds the modules.
  ['typescript5', 'node16', false],
  // What `next build` writes into a project's configuration.
  ['typescript', 'bundler', false],
  ['typescript7', 'bundler', false],
] as const;

describe('a TypeScript project', () => {
  let project: string;
  let snippets: string[];
  beforeAll(async () => {
    project = await installSdk(tarball, 'typescript', join(folder, 'matrix'), FRAMEWORKS);
    snippets = writeSnippets(project);
    expect(snippets).toContain('start.mts');
    expect(snippets.length).toBeGreaterThan(8);
  }, 120_000);

  it.each(MATRIX)(
    'compiles with %s, moduleResolution %s and strict %s, and so do the snippets',
    async (compiler, resolution, strict) => {
      const isCommonJs = resolution === 'node10';
      const hasTopLevelAwait = (file: string) =>
        /^(?:const .* = )?await /m.test(readFileSync(join(project, file), 'utf8'));
      const files = [
        ...['host.ts', 'collision.ts', strict ? 'strict.ts' : []].flat(),
        ...(resolution.startsWith('node1') ? ['host-cjs.cts'] : []),
        // CommonJS has no `await` outside of functions.
        ...snippets.filter((file) => !isCommonJs || !hasTopLevelAwait(file)),
      ];
      const compilerOptions = { ...BASE, ...settingsOf(compiler, resolution), strict };
      expect(await compile(project, { compilerOptions, files }, compiler)).toBe('');
    },
    120_000,
  );

  it('finds a subpath only where it is declared, so this matrix can fail', async () => {
    const manifest = join(project, 'node_modules/@ceiba/sdk/package.json');
    const text = readFileSync(manifest, 'utf8');
    const { typesVersions: _, ...without } = JSON.parse(text);
    writeFileSync(manifest, JSON.stringify(without));
    const settings = settingsOf('typescript5', 'node10');
    const config = { compilerOptions: { ...BASE, ...settings }, files: ['host.ts'] };
    const problems = await compile(project, config, 'typescript5');
    writeFileSync(manifest, text);
    expect(problems).toContain("Cannot find module '@ceiba/sdk/express'");
  }, 120_000);
});

describe('the declarations of the package', () => {
  it.each([
    ['fastify', 'node16', { module: 'node16', exactOptionalPropertyTypes: true }],
    ['fastify', 'bundler', { module: 'esnext', lib: ['es2023', 'dom'] }],
    ['fastify4', 'node16', { module: 'node16' }],
  ])(
    'have no errors with %s and moduleResolution %s',
    async (fastify, moduleResolution, settings) => {
      const target = join(folder, `${fastify}-${moduleResolution}`);
      const project = await installSdk(tarball, 'typescript', target, { ...FRAMEWORKS, fastify });
      const checked = { ...BASE, ...settings, moduleResolution, strict: true, skipLibCheck: false };
      const files = ['host.ts', ...(moduleResolution === 'node16' ? ['host-cjs.cts'] : [])];
      // All declarations of Node and the frameworks are checked as well: the compiler that is native.
      const problems = await compile(project, { compilerOptions: checked, files }, 'typescript7');
      expect(problems).toBe('');
    },
    120_000,
  );
});
