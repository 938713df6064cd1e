import type { Command } from 'commander';
import { uuid } from '../../options.ts';

/** A command about one key. */
export const ofKey = (command: Command): Command =>
  command
    .requiredOption('--project <id>', 'the project that the key belongs to', uuid)
    .requiredOption('--key <id>', 'the key (its id, not the key itself)', uuid);

export interface KeyOptions {
  project: string;
  key: string;
  json?: true;
}
