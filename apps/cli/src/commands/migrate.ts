import { createDatabase, migrateDatabase, pingDatabase } from '@ceiba/schema';
import type { Command } from 'commander';
import { databaseAddress, withExplainedFaults } from '../database.ts';
import { MIGRATIONS_FOLDER, newestMigration } from '../migrations.ts';
import { withPatience } from '../patience.ts';
import { printLines, type World } from '../world.ts';

/** `ceiba migrate`: safe to run again and to start twice at once. */
export function migrateCommand(program: Command, world: World): void {
  program
    .command('migrate')
    .description('bring the database up to the newest migration')
    .action(async () => {
      const { applied } = await withExplainedFaults(databaseAddress(world), async ({ url }) => {
        await waitForAnswer(url);
        return migrateDatabase(url, MIGRATIONS_FOLDER);
      });
      const { tag } = newestMigration();
      printLines(world, [
        applied === 0
          ? `Nothing to do: the database is at ${tag}.`
          : `Applied ${applied} migration${applied === 1 ? '' : 's'}: the database is at ${tag}.`,
      ]);
    });
}

/** A migration may take its time, and may wait for another one; the first answer may not. */
async function waitForAnswer(url: string): Promise<void> {
  const db = createDatabase(url, { maxConnections: 1, applicationName: 'ceiba-migrate' });
  try {
    await withPatience(pingDatabase(db));
  } finally {
    await db.close();
  }
}
