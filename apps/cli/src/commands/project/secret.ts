import { mintProjectSecret } from '@ceiba/domain';
import { endPreviousSecret, rotateProjectSecret, type VerbContext } from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { badInput, failure } from '../../errors.ts';
import { noProject, requireProject } from '../../not-found.ts';
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
  const { json, secretFile } = options;
  const isShown = printsSecrets(world, options);
  if (!isShown && secretFile === undefined) throw secretNotShown('The new secret');
  const rotated = await withSecretFile(
    world,
    secretFile,
    () => withDatabase(world, (ctx) => rotate(ctx, world, options)),
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

async function rotate(
  ctx: VerbContext,
  world: World,
  { project: projectId, yes }: { project: string; yes?: true },
) {
  const project = await requireProject(ctx.db, projectId);
  const secret = mintProjectSecret(world.random);
  const result = await rotateProjectSecret(ctx, {
    projectId,
    secret,
    replaces: project.secretCreatedAt,
    dropsPrevious: yes === true,
  });
  switch (result.kind) {
    case 'rotated':
      return {
        projectId,
        projectSecret: secret.plaintext,
        previousSecretExpiresAt: result.previousSecretExpiresAt.toISOString(),
      };
    case 'previous_still_valid':
      throw badInput(
        `${project.name} was rotated less than 24 hours ago: its previous secret is valid until ` +
          `${result.previousSecretExpiresAt.toISOString()}, and rotating now stops it at once. ` +
          'When no host uses it any more, run this again with --yes.',
        { code: 'not_confirmed', field: '--yes' },
      );
    case 'conflict':
      throw failure(ROTATED_NOW);
    case 'not_found':
      throw noProject(projectId);
  }
}

/** Adds `ceiba project end-previous-secret`. */
export function endPreviousSecretCommand(project: Command, world: World): void {
  project
    .command('end-previous-secret')
    .description('end the secret that the last rotation replaced, before its 24 hours are over')
    .requiredOption('--project <id>', 'the project', uuid)
    .option('--json', 'print whether a secret was ended as JSON')
    .action(async ({ project: projectId, json }: { project: string; json?: true }) => {
      const ended = await withDatabase(world, (ctx) => endPrevious(ctx, projectId));
      if (json) return printJson(world, { projectId, ended });
      printLines(world, [
        ended
          ? 'The previous secret is refused from now on; the current one is unchanged.'
          : 'No previous secret is valid: nothing was changed.',
      ]);
    });
}

async function endPrevious(ctx: VerbContext, projectId: string): Promise<boolean> {
  const project = await requireProject(ctx.db, projectId);
  const { kind } = await endPreviousSecret(ctx, { projectId, current: project.secretCreatedAt });
  if (kind === 'conflict') throw failure(ROTATED_NOW);
  if (kind === 'not_found') throw noProject(projectId);
  return kind === 'ended';
}

const ROTATED_NOW = 'Someone else has just rotated the secret. Nothing was changed.';
