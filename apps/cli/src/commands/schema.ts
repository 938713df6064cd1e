import { ceibaFileJsonSchema } from '@ceiba/manage';
import type { Command } from 'commander';
import { printJson, type World } from '../world.ts';

/** `ceiba schema`: what editors need to complete and check a file for `apply`. */
export function schemaCommand(program: Command, world: World): void {
  program
    .command('schema')
    .description('print the JSON Schema of ceiba.yaml, for editors')
    .addHelpText(
      'after',
      '\nTo use it: ceiba schema > ceiba.schema.json, and as the first line of ceiba.yaml:\n' +
        '# yaml-language-server: $schema=ceiba.schema.json',
    )
    .action(() => printJson(world, ceibaFileJsonSchema()));
}
