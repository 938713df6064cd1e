import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../../support/scenario.ts';

/** Measures small transactions on the same Postgres at the same time. */
export interface WriteControl {
  /** @returns the duration of the slowest, in ms */
  stop(): Promise<number>;
}

const EVERY_MS = 25;

/**
 * A killed Runtime loses one flush interval, plus the usage that arrives during the write at its end.
 * The duration of that write depends on the machine, so it is measured separately.
 */
export async function startWriteControl({ db }: World): Promise<WriteControl> {
  await db.sql`create table if not exists proof_writes (id int primary key, count int not null)`;
  let stopped = false;
  let slowestMs = 0;
  const write = () =>
    db.sql.begin(async (sql) => {
      for (const id of [1, 2, 3]) {
        await sql`insert into proof_writes values (${id}, 1)
          on conflict (id) do update set count = proof_writes.count + 1`;
      }
    });
  const writeOften = async () => {
    while (!stopped) {
      const startedAt = performance.now();
      await write();
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      await pause(EVERY_MS);
    }
  };
  const writing = writeOften();
  return {
    async stop() {
      stopped = true;
      await writing;
      return Math.round(slowestMs);
    },
  };
}
