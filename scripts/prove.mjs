/**
 * `npm run prove`: the proofs of tests/chaos in full size. 100 rounds of exactness, 500 changes of
 * each kind, 20 of each loss and of each fault, 50 failovers by Patroni where it is installed, and
 * every mutant caught by the proof that guards its rule. It takes about an hour, prints the seed
 * that repeats it and a table of figures, and exits 1 on any failure. docs/guides/proofs.md says
 * what is proved.
 *
 *   npm run prove -- --only loss,faults   a part; the parts are named in `PARTS`
 *   npm run prove -- --rounds 10          as many of everything
 *   npm run prove -- --seed 1a2b3c4d      the course of an earlier run
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { LauncherError } from '../packages/devstack/src/errors.mjs';
import { untilEnd } from '../packages/devstack/src/lifecycle.mjs';
import {
  bold,
  dim,
  green,
  print,
  printFailure,
  red,
  step,
} from '../packages/devstack/src/output.mjs';
import { redisOnPath } from '../packages/devstack/src/redis.mjs';
import { startServices } from '../packages/devstack/src/services.mjs';
import { readSettings, requireNodeVersion, root } from '../packages/devstack/src/settings.mjs';
import { createSupervisor } from '../packages/devstack/src/supervisor.mjs';
import { installIfNeeded } from './install.mjs';
import { lineOf, readVitest, sum, tallyOf } from './tally.mjs';

/**
 * @typedef {import('../packages/devstack/src/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {{ parts: string[], seed: string, rounds: string | undefined }} Choice
 * @typedef {{ proof: string } & Record<string, string | number>} Figures
 */

/** Each is a file of tests/chaos, `*.test.ts`, or `*.proof.ts` where it has no small size. */
const PARTS = [
  'exactness',
  'revocation',
  'loss',
  'faults',
  'standby',
  'fencing',
  'patroni',
  'sentinel',
  'cluster',
  'scripts',
  'model',
  'simulation',
  'mutants',
];

/** Far beyond what the slowest proof takes; a proof that hangs must not hang for ever. */
const LONGEST_PROOF_MS = 4 * 3_600_000;

try {
  requireNodeVersion();
  const choice = choose();
  const dataDir = mkdtempSync(join(tmpdir(), 'ceiba-prove-'));
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const exitCode = await untilEnd(
    supervisor,
    () => proveAll(supervisor, choice),
    () => 130,
  );
  process.exit(exitCode);
} catch (error) {
  printFailure(error);
  process.exit(1);
}

/** @returns {Choice} */
function choose() {
  const options = /** @type {const} */ ({
    only: { type: 'string' },
    seed: { type: 'string' },
    rounds: { type: 'string' },
  });
  const { only, seed = randomBytes(4).toString('hex'), rounds } = parseArgs({ options }).values;
  const parts = only?.split(',') ?? PARTS;
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) {
    throw new LauncherError(`--only knows ${PARTS.join(', ')}, not "${unknown}".`);
  }
  if (rounds !== undefined && !/^[1-9]\d{0,4}$/.test(rounds)) {
    throw new LauncherError('--rounds takes a whole number from 1.');
  }
  return { parts, seed, rounds };
}

/**
 * @param {Supervisor} supervisor
 * @param {Choice} choice
 * @returns {Promise<number>} The exit code.
 */
async function proveAll(supervisor, choice) {
  print();
  print(`  ${bold('Ceiba')} proves ${choice.parts.join(', ')}; seed ${bold(choice.seed)}`);
  if (redisOnPath() === undefined) {
    print('  There is no redis-server or valkey-server on PATH: what needs snapshots is left out.');
  }
  print();
  await step(
    'Packages',
    () => installIfNeeded(supervisor),
    (installed) => (installed ? 'installed' : 'up to date'),
  );
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const services = await startServices(supervisor, { databaseUrl, redisUrl });
  const report = join(supervisor.dataDir, 'figures.jsonl');
  const env = {
    ...process.env,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    CEIBA_PROVE: 'full',
    CEIBA_PROVE_SEED: choice.seed,
    CEIBA_PROVE_REPORT: report,
    ...(choice.rounds === undefined ? {} : { CEIBA_PROVE_ROUNDS: choice.rounds }),
  };
  const tallies = [];
  for (const part of choice.parts) tallies.push(await prove(supervisor, part, env));
  const tally = sum(tallies);
  printFigures(report);
  print();
  for (const failure of tally.failures) print(`  ${red('✗')} ${failure}`);
  print(`  seed ${choice.seed}: ${lineOf(tally)}`);
  return tally.failures.length === 0 ? 0 : 1;
}

/**
 * @param {Supervisor} supervisor
 * @param {string} part
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Tally>}
 */
async function prove(supervisor, part, env) {
  const report = join(supervisor.dataDir, `${part}.json`);
  const exitCode = await supervisor.stream({
    name: 'vitest',
    command: process.execPath,
    args: [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project=chaos',
      `--testTimeout=${LONGEST_PROOF_MS}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `tests/chaos/${part}.`,
    ],
    env,
  });
  return tallyOf(part, exitCode, report, readVitest);
}

/** @param {string} file One proof a line, as tests/chaos/support/prove.ts writes them. */
function printFigures(file) {
  if (!existsSync(file)) return;
  /** @type {Figures[]} */
  const proofs = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  print();
  print(`  ${bold('Figures')}`);
  for (const { proof, seed, seconds, ...figures } of proofs) {
    print(`  ${green('✓')} ${proof} ${dim(`in ${seconds} s`)}`);
    print(`      ${Object.entries(figures).map(words).join(', ')}`);
  }
}

/**
 * @param {[name: string, value: string | number]} figure
 * @returns {string} `maxMs` as `max 12 ms`.
 */
function words([name, value]) {
  const [, stem = name, unit = ''] = /^(.*?)(Ms)?$/.exec(name) ?? [];
  const label = stem.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${label} ${value}${unit === '' ? '' : ' ms'}`;
}
