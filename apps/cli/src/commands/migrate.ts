import { migrateDatabase } from '@ceiba/schema';
import type { Command } from 'commander';
import { databaseAddress, withExplainedFaults } from '../database.ts';
import { MIGRATIONS_FOLDER, newestMigration } from '../migrations.ts';
import { printLines, type World } from '../world.ts';

/** `ceiba migrate`: safe to run again and to start twice at once. */
export function migrateCommand(program: Command, world: World): void {
  program
    .command('migrate')
    .description('bring the database up to the newest migration')
    .action(async () => {
      const { applied } = await withExplainedFaults(databaseAddress(world), ({ url }) =>
        migrateDatabase(url, MIGRATIONS_FOLDER),
      );
      const { tag } = newestMigration();
      printLines(world, [
        applied === 0
          ? `Nothing to do: the database is at ${tag}.`
          : `Applied ${applied} migration${applied === 1 ? '' : 's'}: the database is at ${tag}.`,
      ]);
    });
}
