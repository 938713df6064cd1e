/**
 * Builds `dist/`: ES modules, CommonJS, and types for both. Modules are not merged, so that the
 * client and the adapters share one copy of the error class. The closed sets and types of the contract
 * are bundled, so that the package has no dependencies. npm packs the license from beside them.
 */
import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const ENTRIES = [
  'index',
  'express',
  'fastify',
  'hono',
  'next',
  'fetch',
  'node',
  'testing',
  'webhooks',
];
/** Those that extend the types of a framework, which may have one declaration per format. */
const AUGMENTING = ['express', 'fastify', 'hono'];
/** Built here and then renamed, so that a running program never sees an incomplete package. */
const draft = at(`./dist.${process.pid}`);
const sources = readdirSync(at('./src'), { recursive: true })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => at(`./src/${path}`));

/** The modules that depend on the platform: edge runtimes load a copy of each, without `node:`. */
const ON_PLATFORM = /^\.\/(?:client|platform)\.ts$/;
const EDGE_COPIES = ['index', 'client'].map((name) => ({
  in: at(`./src/${name}.ts`),
  out: `${name}-edge`,
}));

/** Keeps relative imports as imports, with the extension of the output. */
const renameRelativeImports = (extension, isEdge) => ({
  name: 'rename-relative-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      if (!importer.startsWith(at('./src'))) return undefined;
      const suffix = isEdge && ON_PLATFORM.test(path) ? `-edge${extension}` : extension;
      return { path: path.replace(/\.ts$/, suffix), external: true };
    });
  },
});

/** One module per source file. */
function buildCode(format, extension, isEdge = false) {
  return build({
    absWorkingDir: at('.'),
    entryPoints: isEdge ? EDGE_COPIES : sources,
    outdir: draft,
    outbase: at('./src'),
    outExtension: { '.js': extension },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    plugins: [renameRelativeImports(extension, isEdge)],
    logLevel: 'warning',
    metafile: true,
  });
}

/** A source file that has only types compiles to an empty module in both formats. */
function removeEmptyModules({ metafile }) {
  for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
    if (bytes > 0) continue;
    rmSync(at(`./${path}`));
    rmSync(at(`./${path.replace(/\.js$/, '.cjs')}`));
  }
}

async function buildTypes() {
  const bundle = await rollup({
    input: Object.fromEntries(ENTRIES.map((name) => [name, at(`./src/${name}.ts`)])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@ceiba/'),
    plugins: [dts({ tsconfig: at('./tsconfig.json'), includeExternal: ['@ceiba/contract'] })],
  });
  for (const extension of ['.d.ts', '.d.cts']) {
    await bundle.write({
      dir: draft,
      entryFileNames: `[name]${extension}`,
      // Declarations are the same in both formats, so modules of each read one copy.
      chunkFileNames: 'types/[name].d.cts',
      format: 'es',
    });
  }
  await bundle.close();
  for (const name of ENTRIES.filter((name) => !AUGMENTING.includes(name))) {
    writeFileSync(`${draft}/${name}.d.ts`, `export * from './${name}.cjs';\n`);
  }
}

try {
  const [esm] = await Promise.all([
    buildCode('esm', '.js'),
    buildCode('cjs', '.cjs'),
    buildCode('esm', '.js', true),
    buildCode('cjs', '.cjs', true),
    buildTypes(),
  ]);
  removeEmptyModules(esm);
  rmSync(at('./dist'), { recursive: true, force: true });
  renameSync(draft, at('./dist'));
  copyFileSync(at('../../LICENSE'), at('./LICENSE'));
} finally {
  rmSync(draft, { recursive: true, force: true });
}
