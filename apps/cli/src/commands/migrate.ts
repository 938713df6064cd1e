import { migrateDatabase } from '@ceiba/schema';
import type { Command } from 'commander';
import { databaseAddress, withExplainedErrors } from '../database.ts';
import { MIGRATIONS_FOLDER, newestMigration } from '../migrations.ts';
import { printLines, type World } from '../world.ts';

/** Adds `ceiba migrate`, which is safe to repeat and to run concurrently. */
export function migrateCommand(program: Command, world: World): void {
  program
    .command('migrate')
    .description('apply the migrations that the database lacks')
    .action(async () => {
      const { applied } = await withExplainedErrors(databaseAddress(world), ({ url }) =>
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
