import type { Command } from 'commander';
import type { World } from '../../world.ts';
import { listProjectsCommand } from './list.ts';
import { endPreviousSecretCommand, rotateSecretCommand } from './secret.ts';
import { setSubscriptionCommand } from './set-subscription.ts';

/** `ceiba project …`. */
export function projectCommands(program: Command, world: World): void {
  const project = program.command('project').description('list projects, and manage one');
  listProjectsCommand(project, world);
  rotateSecretCommand(project, world);
  endPreviousSecretCommand(project, world);
  setSubscriptionCommand(project, world);
}
