import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = join(root, 'node_modules/@informalsystems/quint/dist/src/cli.js');
const SPECIFICATION = join(root, 'docs/spec/ceiba.qnt');

export interface Simulation {
  /** The text to run. */
  specification: string;
  /** How many runs, and the number of steps of each. */
  courses: number;
  steps: number;
  seed: number;
  invariants: readonly string[];
  /** The action of a step; `step` by default. */
  step?: string;
}

export const specificationText = () => readFileSync(SPECIFICATION, 'utf8');

/** @returns the invariants that a run broke */
export async function simulate(simulation: Simulation): Promise<string[]> {
  return inFolder(async (folder) => {
    const { exitCode, output } = await runQuint(folder, simulation, []);
    if (exitCode === 0) return [];
    if (!output.includes('[violation]')) throw new Error(`quint failed: ${output}`);
    // Quint names the broken ones only if there are several invariants.
    if (simulation.invariants.length === 1) return [...simulation.invariants];
    return [...output.matchAll(/❌ (\w+)/g)].map(([, name = '']) => name);
  });
}

/** @returns runs in the Informal Trace Format, each a list of states */
export async function tracesOf(simulation: Simulation): Promise<unknown[][]> {
  return inFolder(async (folder) => {
    const wanted = ['--n-traces', `${simulation.courses}`, '--out-itf', join(folder, '{seq}.itf')];
    const { exitCode, output } = await runQuint(folder, simulation, wanted);
    if (exitCode !== 0) throw new Error(`quint failed: ${output}`);
    const files = readdirSync(folder).filter((file) => file.endsWith('.itf'));
    return files.map((file) => {
      const { states } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return states.map(plain);
    });
  });
}

function runQuint(folder: string, simulation: Simulation, more: readonly string[]) {
  const { specification, courses, steps, seed, invariants, step = 'step' } = simulation;
  const file = join(folder, 'ceiba.qnt');
  writeFileSync(file, specification);
  const args = [
    ...[PROGRAM, 'run', file, '--verbosity', '1', '--seed', `${seed}`, '--step', step],
    // The default backend is a program that Quint downloads.
    ...['--backend', 'typescript'],
    ...['--max-samples', `${courses}`, '--max-steps', `${steps}`],
    ...(invariants.length === 0 ? [] : ['--invariants', ...invariants]),
    ...more,
  ];
  return new Promise<{ exitCode: number; output: string }>((resolve) => {
    const quint = execFile(process.execPath, args, (_error, stdout, stderr) =>
      resolve({ exitCode: quint.exitCode ?? 1, output: `${stdout}${stderr}` }),
    );
  });
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-quint-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Values of the trace format as plain values: numbers, arrays, and a map as an array of pairs. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const tagged = value as Record<string, unknown>;
  if ('#bigint' in tagged) return Number(tagged['#bigint']);
  const within = tagged['#map'] ?? tagged['#set'] ?? tagged['#tup'];
  if (within !== undefined) return plain(within);
  return Object.fromEntries(Object.entries(tagged).map(([name, item]) => [name, plain(item)]));
}
