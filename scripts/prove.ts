/**
 * `npm run prove`: the proofs of tests/chaos in full size. 100 rounds of exactness, 500 changes of
 * each kind, 20 losses and 20 outages of each kind, 50 failovers by Patroni where it is installed,
 * and every mutant caught by the proof that guards its rule. It takes about 75 minutes, prints the seed
 * that repeats it and a table of figures, and exits 1 on any failure. docs/reference/proofs.md says
 * what is proved.
 *
 *   npm run prove -- --only loss,faults   some of the parts that `PARTS` names
 *   npm run prove -- --rounds 10          ten rounds of everything
 *   npm run prove -- --seed 1a2b3c4d      repeats the run that printed this seed
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { LauncherError } from '@ceiba/devstack/errors';
import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { bold, dim, green, print, red } from '@ceiba/devstack/output';
import { redisOnPath } from '@ceiba/devstack/redis';
import { readSettings } from '@ceiba/devstack/settings';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { prepare } from './prepare.ts';
import { runVitest } from './run-tests.ts';
import { lineOf, sum } from './tally.ts';

interface Choice {
  parts: string[];
  seed: string;
  rounds: string | undefined;
}

type Figures = { proof: string } & Record<string, string | number>;

/**
 * Each is a file of tests/promises or tests/chaos, `*.test.ts`, or `*.proof.ts` where it has no small size; 'neighbours'
 * is several, one for each resource that projects share.
 */
const PARTS = [
  'exactness',
  'revocation',
  'loss',
  'faults',
  'workers',
  'standby',
  'fencing',
  'patroni',
  'sentinel',
  'cluster',
  'scripts',
  'model',
  'simulation',
  'neighbours',
  'mutants',
];

/** Far longer than the slowest proof takes; it ends a proof that hangs. */
const PROOF_MS_MAX = 4 * 3_600_000;

await runMain(() => {
  const choice = choose();
  return supervised((supervisor) => proveAll(supervisor, choice));
});

function choose(): Choice {
  const options = {
    only: { type: 'string' },
    seed: { type: 'string' },
    rounds: { type: 'string' },
  } as const;
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

/** @returns The exit code. */
async function proveAll(supervisor: Supervisor, choice: Choice): Promise<number> {
  print();
  print(`  ${bold('Ceiba')} proves ${choice.parts.join(', ')}; seed ${bold(choice.seed)}`);
  if (redisOnPath() === undefined) {
    print(
      '  There is no redis-server or valkey-server on PATH: the proofs that need snapshots are skipped.',
    );
  }
  print();
  const { databaseUrl, redisUrl } = readSettings(process.env);
  const services = await prepare(supervisor, { databaseUrl, redisUrl }, { build: false });
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
  for (const part of choice.parts) {
    const projects = ['--project=promises', '--project=chaos'];
    const args = [...projects, `--testTimeout=${PROOF_MS_MAX}`, `/${part}.`];
    tallies.push(await runVitest(supervisor, { name: part, args, env }));
  }
  const tally = sum(tallies);
  printFigures(report);
  print();
  for (const failure of tally.failures) print(`  ${red('✗')} ${failure}`);
  print(`  seed ${choice.seed}: ${lineOf(tally)}`);
  return tally.failures.length === 0 ? 0 : 1;
}

/** @param file One proof per line, as tests/chaos/support/prove.ts writes them. */
function printFigures(file: string) {
  if (!existsSync(file)) return;
  const proofs: Figures[] = readFileSync(file, 'utf8')
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

/** @returns `maxMs` as `max 12 ms`. */
function words([name, value]: [name: string, value: string | number]): string {
  const [, stem = name, unit = ''] = /^(.*?)(Ms)?$/.exec(name) ?? [];
  const label = stem.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${label} ${value}${unit === '' ? '' : ' ms'}`;
}
