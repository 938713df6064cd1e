import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { CHARGE_FILES } from '../../../apps/runtime/src/limiter/charge-script.ts';
import type { SimulatedServer } from './edges/listener.ts';
import type { Machine } from './machine.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const edge = (name: string) => fileURLToPath(new URL(`./edges/${name}.ts`, import.meta.url));

/** A replacement of a text in a source file of the Runtime. */
export interface SourceEdit {
  /** Path from the root of the repository. */
  file: string;
  /** A text that is in the file exactly once. */
  find: string;
  replace: string;
}

export interface SimulatedRuntime {
  readonly server: SimulatedServer;
  stop(): Promise<void>;
}

/** The Runtime's own source with simulated edges. */
export interface Program {
  enter(machine: Machine): void;
  readSettings(environment: Record<string, string>): unknown;
  createRuntime(settings: unknown, log: unknown): SimulatedRuntime;
  /** Removes the bundle. */
  remove(): void;
}

/** Files and packages that reach out of the process, and their replacements. */
const EDGES: readonly [path: RegExp, exports: string][] = [
  [/^ioredis$/, `export * from '${edge('ioredis')}'`],
  [/^node:timers\/promises$/, `export * from '${edge('timers-promises')}'`],
  [/\/http\/listener\.ts$/, `export { createHttpServer } from '${edge('listener')}'`],
  [/\/http\/drain\.ts$/, `export { createDrain } from '${edge('listener')}'`],
  [/^\.\/database\.ts$/, `export { createDatabase, serversOf } from '${edge('database')}'`],
  ...Object.entries({
    'ping.ts': 'pingDatabase',
    'lookup.ts': 'lookupMany',
    'list-with-revision.ts': 'listFurtherPolicies, listPoliciesWithRevision',
    'period-totals.ts': 'readPeriodTotals, readPeriodUse',
    'usage/record.ts': 'recordUsage',
    'record-first-use.ts': 'recordFirstUses, recordFirstUse',
    'apply-retention.ts': 'applyRetention',
    'usage/roll-up.ts': 'rollUpUsage',
    'usage/compare.ts': 'compareUsage',
    'remove-dead.ts': 'removeDeadLeases',
  }).map(([file, names]): [RegExp, string] => [
    new RegExp(`^\\./.*${file.replace('.', '\\.')}$`),
    `export { ${names} } from '${edge('verbs')}'`,
  ]),
];

/** Small limits, so that a schedule of a dozen calls reaches them quickly, and a small Runtime. */
export const FOR_SCHEDULES: readonly SourceEdit[] = [
  { file: 'apps/runtime/src/database/lookups.ts', find: 'maxBatch: 256', replace: 'maxBatch: 4' },
  {
    file: 'apps/runtime/src/database/lookups.ts',
    find: 'maxWaiting: 8_192',
    replace: 'maxWaiting: 16',
  },
  {
    file: 'apps/runtime/src/database/lookups.ts',
    find: 'maxWaitingPerProject: 4_096',
    replace: 'maxWaitingPerProject: 10',
  },
  {
    file: 'apps/runtime/src/limiter/charge-queue.ts',
    find: 'maxCharges: 64, maxWaiting: 4_096',
    replace: 'maxCharges: 3, maxWaiting: 10',
  },
  // A large queue is allocated at once, which takes longer than a schedule.
  { file: 'packages/process/src/redis/epoch.ts', find: 'rounds: 25', replace: 'rounds: 2' },
  { file: 'apps/runtime/src/limiter/seen.ts', find: 'max = 65_536', replace: 'max = 64' },
  // Each Runtime's histogram of the event loop would stay until the process ends: 370 kB.
  {
    file: 'apps/runtime/src/metrics/watch.ts',
    find: 'collectDefaultMetrics({ register: registry });',
    replace: '',
  },
];

/**
 * Bundles the Runtime's source with simulated edges and loads it.
 *
 * @throws Error if a text to replace is not in its file exactly once
 */
export async function loadProgram(edits: readonly SourceEdit[] = []): Promise<Program> {
  const parent = join(root, 'node_modules/.cache');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'ceiba-simulation-'));
  const outfile = join(folder, 'program.mjs');
  const source = join(root, 'apps/runtime/src');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: [edge('program')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
      inject: [edge('globals')],
      define: { 'Date.now': 'virtualDateNow', 'Math.random': 'virtualRandom' },
      plugins: [simulatedEdges, edited([...FOR_SCHEDULES, ...edits])],
    });
    for (const script of [...CHARGE_FILES.map((name) => `limiter/${name}`), 'usage/trim.lua']) {
      copyFileSync(join(source, script), join(folder, script.replace(/^.*\//, '')));
    }
    const program = (await import(pathToFileURL(outfile).href)) as Omit<Program, 'remove'>;
    return { ...program, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const simulatedEdges: Plugin = {
  name: 'simulated edges',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return null;
      const isOfSchema = dirname(importer).includes('/packages/schema/src');
      const found = EDGES.find(([pattern]) => pattern.test(path));
      const isEdge = found && (isOfSchema || !path.startsWith('./') || path.includes('/http/'));
      if (isEdge && !importer.includes('/edges/')) return { path, namespace: 'edge' };
      if (/^[./]/.test(path) || path.startsWith('@ceiba/')) return null;
      return { path, external: true };
    });
    onLoad({ filter: /./, namespace: 'edge' }, ({ path }) => ({
      contents: EDGES.find(([pattern]) => pattern.test(path))?.[1] ?? '',
      resolveDir: root,
    }));
  },
};

const edited = (edits: readonly SourceEdit[]): Plugin => ({
  name: 'edited source',
  setup({ onLoad, onEnd }) {
    const made = new Set<SourceEdit>();
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const edit of edits.filter(({ file }) => path === join(root, file))) {
        const pieces = contents.split(edit.find);
        if (pieces.length !== 2) {
          throw new Error(`${edit.file} has this ${pieces.length - 1} times: ${edit.find}`);
        }
        contents = pieces.join(edit.replace);
        made.add(edit);
      }
      return { contents, loader: 'ts' };
    });
    onEnd(() => {
      const missed = edits.find((edit) => !made.has(edit));
      if (missed) throw new Error(`${missed.file} is not a part of the program`);
    });
  },
});
