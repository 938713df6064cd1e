import { endSecret, rotateSecret as rotateSecretOperation } from '@ceiba/manage';
import type { Command } from 'commander';
import { perform } from '../../operate.ts';
import { uuid } from '../../options.ts';
import {
  addSecretOptions,
  LOST_PROJECT_SECRET,
  printsSecrets,
  type SecretOptions,
  secretNotShown,
  withSecretFile,
} from '../../secret-output.ts';
import { printJson, printLines, type World } from '../../world.ts';

/** Adds `ceiba project rotate-secret`. */
export function rotateSecretCommand(project: Command, world: World): void {
  const command = project
    .command('rotate-secret')
    .description('create a new project secret; the one it replaces stays valid for 24 hours')
    .requiredOption('--project <id>', 'the project', uuid)
    .option(
      '--yes',
      'rotate although a previous secret is still valid, which stops working at once',
    )
    .option('--json', 'print the new secret as JSON');
  addSecretOptions(command).action((options: RotateOptions) => rotateSecret(world, options));
}

interface RotateOptions extends SecretOptions {
  project: string;
  yes?: true;
}

async function rotateSecret(world: World, options: RotateOptions): Promise<void> {
  const { project: projectId, json, secretFile, yes } = options;
  const isShown = printsSecrets(world, options);
  if (!isShown && secretFile === undefined) throw secretNotShown('The new secret');
  const rotated = await withSecretFile(
    world,
    secretFile,
    () => perform(world, rotateSecretOperation, { projectId, dropsPrevious: yes === true }),
    (result) => result,
  );
  if (isShown) world.onSecret(LOST_PROJECT_SECRET);
  const projectSecret = isShown ? rotated.projectSecret : null;
  if (json) return printJson(world, { ...rotated, projectSecret });
  printLines(world, [
    ...(isShown
      ? [
          'New project secret, shown only once (keep it on the server, never in a browser):',
          `  ${projectSecret}`,
        ]
      : [`The new project secret is in ${secretFile}.`]),
    `The secret that it replaces is valid until ${rotated.previousSecretExpiresAt}.`,
  ]);
}

/** Adds `ceiba project end-previous-secret`. */
export function endPreviousSecretCommand(project: Command, world: World): void {
  project
    .command('end-previous-secret')
    .description('end the secret that the last rotation replaced, before its 24 hours are over')
    .requiredOption('--project <id>', 'the project', uuid)
    .option('--json', 'print whether a secret was ended as JSON')
    .action(async ({ project: projectId, json }: { project: string; json?: true }) => {
      const { ended } = await perform(world, endSecret, { projectId });
      if (json) return printJson(world, { projectId, ended });
      printLines(world, [
        ended
          ? 'The previous secret is refused from now on; the current one is unchanged.'
          : 'No previous secret is valid: nothing was changed.',
      ]);
    });
}
