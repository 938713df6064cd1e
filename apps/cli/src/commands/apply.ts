import type { Command } from 'commander';
import type { Applied } from '../apply/applied.ts';
import { applyFile, listed, UnconfirmedRemovals } from '../apply/apply.ts';
import { type CheckedFile, readCeibaFile } from '../apply/read.ts';
import { jsonOf, reportOf } from '../apply/report.ts';
import { withDatabase } from '../database.ts';
import { readSettings } from '../env.ts';
import { nameOfInput, readInput } from '../input-file.ts';
import { confirm } from '../prompt.ts';
import {
  addSecretOptions,
  LOST_PROJECT_SECRET,
  printsSecrets,
  type SecretOptions,
  withSecretFile,
} from '../secret-output.ts';
import { printAdvice, printJson, printLines, type World } from '../world.ts';

/** Far larger than any real file, and still cheap to read. */
const FILE_MEBIBYTES_MAX = 4;

interface ApplyCommandOptions extends SecretOptions {
  file: string;
  dryRun?: true;
  prune?: true;
}

/** `ceiba apply`: policies as code. */
export function applyCommand(program: Command, world: World): void {
  const command = program
    .command('apply')
    .description('apply plans, projects and policies from a file; safe to repeat')
    .requiredOption('-f, --file <path>', 'the file, YAML or JSON; - reads standard input')
    .option('--dry-run', 'print what would change, and change nothing')
    .option(
      '--prune',
      'remove the policies and customer plans that are not in the file, without asking',
    )
    .option(
      '--json',
      'print the projects and the changes as JSON, with the secrets of new projects',
    );
  addSecretOptions(command)
    .addHelpText('after', '\nA new owner gets the password in CEIBA_OWNER_PASSWORD.')
    .action((options: ApplyCommandOptions) => apply(world, options));
}

async function apply(world: World, options: ApplyCommandOptions): Promise<void> {
  const { file: path, dryRun, json, secretFile } = options;
  const text = await readInput(world, path, { mebibytesMax: FILE_MEBIBYTES_MAX, field: '--file' });
  const checked = readCeibaFile(nameOfInput(path), text);
  const showsSecrets = printsSecrets(world, options) && !dryRun;
  const file = dryRun ? undefined : secretFile;
  const applied = await withSecretFile(
    world,
    file,
    () => confirmed(world, checked, options, showsSecrets || file !== undefined),
    secretsOf,
  );
  if (showsSecrets && secretsOf(applied) !== null) world.onSecret(LOST_PROJECT_SECRET);
  if (json) printJson(world, jsonOf(applied, showsSecrets));
  else {
    printLines(world, [
      ...reportOf(applied, showsSecrets),
      ...(dryRun ? ['', 'A dry run: nothing was changed.'] : []),
    ]);
  }
}

/** Applies the file; at a terminal it asks before it removes anything. */
async function confirmed(
  world: World,
  checked: CheckedFile,
  { dryRun, prune }: ApplyCommandOptions,
  canShowSecrets: boolean,
): Promise<Applied> {
  const { ownerPassword } = readSettings(world.env, world.cwd);
  const attempt = (mayRemove: (removal: string) => boolean) =>
    withDatabase(world, (ctx) =>
      applyFile(ctx, checked, {
        random: world.random,
        ownerPassword,
        isDryRun: dryRun === true,
        mayRemove,
        canShowSecrets,
      }),
    );
  try {
    return await attempt(() => prune === true);
  } catch (error) {
    if (!(error instanceof UnconfirmedRemovals)) throw error;
    const { removals } = error;
    if (world.stdin.isTTY === true) {
      printAdvice(world, `These are not in the file:\n${listed(removals)}`);
      // Others may have changed them meanwhile: only what was shown is removed.
      const shown = new Set(removals);
      if (await confirm(world, 'Remove them?')) return attempt((removal) => shown.has(removal));
    }
    throw error;
  }
}

/** What a file of secrets gets; null if no project was created. */
function secretsOf({ projects }: Applied): object | null {
  const created = projects.filter(({ projectSecret }) => projectSecret !== null);
  if (created.length === 0) return null;
  return {
    projects: created.map(({ entry, projectId, projectSecret }) => ({
      name: entry.name,
      projectId,
      projectSecret,
    })),
  };
}
