import { endSecret, rotateSecret as rotateSecretOperation } from '@ceiba/manage';
import type { Command } from 'commander';
import { described } from '../../flags.ts';
import { perform } from '../../operate.ts';
import { uuid } from '../../options.ts';
import {
  addSecretOptions,
  createSecret,
  LOST_PROJECT_SECRET,
  type SecretOptions,
} from '../../secret-output.ts';
import { printJson, printLines, type World } from '../../world.ts';

/** Adds `ceiba project rotate-secret`. */
export function rotateSecretCommand(project: Command, world: World): void {
  const command = project
    .command('rotate-secret')
    .description(described(rotateSecretOperation))
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

const rotateSecret = (world: World, options: RotateOptions): Promise<void> =>
  createSecret(world, options, {
    field: 'projectSecret',
    create: () => {
      const input = { projectId: options.project, dropsPrevious: options.yes === true };
      return perform(world, rotateSecretOperation, input);
    },
    forPrograms: (rotated) => rotated,
    heading: 'New project secret, shown only once (keep it on the server, never in a browser):',
    name: 'The new project secret',
    remedy: LOST_PROJECT_SECRET,
    lines: ({ previousSecretExpiresAt }, secret) => [
      ...secret,
      `The secret that it replaces is valid until ${previousSecretExpiresAt}.`,
    ],
  });

/** Adds `ceiba project end-previous-secret`. */
export function endPreviousSecretCommand(project: Command, world: World): void {
  project
    .command('end-previous-secret')
    .description(described(endSecret))
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
