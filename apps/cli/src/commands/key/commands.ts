import type { Command } from 'commander';
import type { World } from '../../world.ts';
import { changeStatusCommands } from './change-status.ts';
import { createKeyCommand } from './create.ts';
import { importKeysCommand } from './import.ts';
import { listKeysCommand } from './list.ts';
import { rotateKeyCommands } from './rotate.ts';
import { setLimitsCommand } from './set-limits.ts';

/** `ceiba key …`. */
export function keyCommands(program: Command, world: World): void {
  const key = program.command('key').description('manage the API keys of a project');
  createKeyCommand(key, world);
  listKeysCommand(key, world);
  setLimitsCommand(key, world);
  changeStatusCommands(key, world);
  rotateKeyCommands(key, world);
  importKeysCommand(key, world);
}
