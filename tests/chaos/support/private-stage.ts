import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createTestDatabase } from '../../support/database.ts';
import { startTestPostgres, startTestRedis, type TestService } from '../../support/services.ts';
import type { Edit } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

/** A stage on servers of its own, to be hurt. */
export interface PrivateStage extends Stage {
  readonly postgres: TestService;
  readonly redis: TestService;
  /** Speaks to Redis without the code under test in between. */
  readonly redisAdmin: Redis;
  /** The same servers and database under a Runtime with changes. */
  withEdits(edits: readonly Edit[]): Stage;
}

export async function openPrivateStage(): Promise<PrivateStage> {
  const [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
  const database = await createTestDatabase(postgres.url);
  const urls = { databaseUrl: database.url, redisUrl: redis.url };
  const stage = openStage(urls);
  const redisAdmin = new Redis(redis.url, { retryStrategy: () => 20 });
  redisAdmin.on('error', () => {});
  return {
    ...stage,
    postgres,
    redis,
    redisAdmin,
    withEdits: (edits) => openStage(urls, edits, stage.program),
    async close() {
      redisAdmin.disconnect();
      await stage.close();
      await Promise.all([postgres.dispose(), redis.dispose()]);
    },
  };
}

/** What a Redis on disk had at a moment; only a real one keeps anything there. */
export interface RedisSnapshot {
  remove(): void;
  /** Kills the server and starts it on the data of that moment. */
  restore(redis: TestService): Promise<void>;
}

/** An append-only file may be copied while it grows: Redis reads it up to its last whole entry. */
export function takeSnapshot({ dataFolder }: TestService): RedisSnapshot {
  const copy = mkdtempSync(join(tmpdir(), 'ceiba-snapshot-'));
  cpSync(dataFolder, copy, { recursive: true });
  return {
    remove: () => rmSync(copy, { recursive: true, force: true }),
    async restore(redis) {
      await redis.kill();
      emptyFolder(dataFolder);
      cpSync(copy, dataFolder, { recursive: true });
      await redis.start();
    },
  };
}

/** Kills Redis and starts it with nothing. */
export async function restartEmpty(redis: TestService): Promise<void> {
  await redis.kill();
  emptyFolder(redis.dataFolder);
  await redis.start();
}

function emptyFolder(folder: string): void {
  try {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  } catch {
    // The Redis in JavaScript has no folder.
  }
}
