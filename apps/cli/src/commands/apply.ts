import { apply as applyOperation, listed, Refusal, readCeibaFile } from '@ceiba/manage';
import type { Command } from 'commander';
import type { z } from 'zod';
import { described } from '../flags.ts';
import { nameOfInput, readInput } from '../input-file.ts';
import { performing } from '../operate.ts';
import { confirm } from '../prompt.ts';
import {
  addSecretOptions,
  LOST_PROJECT_SECRET,
  printsSecrets,
  type SecretOptions,
  secretNotShown,
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
    .description(described(applyOperation))
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

type Applied = z.input<typeof applyOperation.output>;

async function apply(world: World, options: ApplyCommandOptions): Promise<void> {
  const { file: path, dryRun, json, secretFile } = options;
  const text = await readInput(world, path, { mebibytesMax: FILE_MEBIBYTES_MAX, field: '--file' });
  // Before anything is asked of the database.
  readCeibaFile(nameOfInput(path), text);
  const showsSecrets = printsSecrets(world, options) && !dryRun;
  const file = dryRun ? undefined : secretFile;
  const { report, projects, changes } = await withSecretFile(
    world,
    { path: file, remedy: LOST_PROJECT_SECRET },
    () => confirmed(world, text, options, showsSecrets || file !== undefined),
    secretsOf,
  );
  const created = newProjects(projects);
  if (showsSecrets && created.length > 0) world.onSecret(LOST_PROJECT_SECRET);
  if (json) {
    const shown = projects.map((project) => ({
      ...project,
      projectSecret: showsSecrets ? project.projectSecret : null,
    }));
    printJson(world, { projects: shown, changes });
  } else {
    printLines(world, [
      ...report,
      ...(showsSecrets ? created.flatMap(secretLines) : []),
      ...(dryRun ? ['', 'A dry run: nothing was changed.'] : []),
    ]);
  }
}

/** Applies the file; at a terminal it asks before it removes anything. */
async function confirmed(
  world: World,
  text: string,
  { file: path, dryRun, prune }: ApplyCommandOptions,
  createProjects: boolean,
): Promise<Applied> {
  const name = nameOfInput(path);
  const attempt = (removable: boolean | string) =>
    performing(world, (perform) =>
      perform(applyOperation, {
        ...{ file: text, name, dryRun: dryRun === true, prune: removable, createProjects },
      }),
    );
  try {
    return await attempt(prune === true);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { project, removals, removalsDigest } = error.details;
    if (error.code === 'secret_not_shown') {
      throw secretNotShown(`The project ${project} would be created, and its secret`);
    }
    if (removals !== undefined && world.stdin.isTTY === true) {
      printAdvice(world, `These are not in the file:\n${listed(removals)}`);
      // Others may have changed them meanwhile: only what was shown is removed.
      if (await confirm(world, 'Remove them?')) return attempt(removalsDigest ?? false);
    }
    throw error;
  }
}

const newProjects = (projects: Applied['projects']) =>
  projects.filter(({ projectSecret }) => projectSecret !== null);

const secretLines = ({ name, projectSecret }: Applied['projects'][number]) => [
  '',
  `Project secret of ${name}, shown only once (keep it on the server, never in a browser):`,
  `  ${projectSecret}`,
];

/** What a file of secrets gets; null if no project was created. */
function secretsOf({ projects }: Applied): object | null {
  const created = newProjects(projects);
  return created.length === 0 ? null : { projects: created };
}
