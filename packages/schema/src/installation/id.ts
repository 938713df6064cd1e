import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { settings } from '../tables.ts';

/**
 * The UUID of this installation: the same for every replica, also for those that read it first at the
 * same moment, and in a restored backup.
 */
export async function readInstallationId(db: { orm: Executor }): Promise<string> {
  const read = () => db.orm.select({ id: settings.installationId }).from(settings);
  const [known] = await read();
  if (known !== undefined) return known.id;
  await createSettings(db.orm);
  const [created] = await read();
  if (created === undefined) throw new Error('the row of settings was deleted while it was read');
  return created.id;
}

/** Creates the row of settings with its defaults, unless there is one. */
export async function createSettings(tx: Executor): Promise<void> {
  await tx.execute(sql`insert into ${settings} (id) values (true) on conflict do nothing`);
}
