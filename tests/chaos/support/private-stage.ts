import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createTestDatabase } from '../../support/database.ts';
import { startTestPostgres, startTestRedis, type TestService } from '../../support/services.ts';
import type { Edit } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

/** A stage on its own servers, into which a proof injects faults. */
export interface PrivateStage extends Stage {
  readonly postgres: TestService;
  readonly redis: TestService;
  /** A Redis client of the proof's own, independent of the code under test. */
  readonly redisAdmin: Redis;
  /** A stage on the same servers and database with an edited Runtime. */
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

/** A copy of Redis's data on disk; only a real Redis has any. */
export interface RedisSnapshot {
  remove(): void;
  /** Kills the server and starts it on the copy. */
  restore(redis: TestService): Promise<void>;
}

/** Copies the append-only file while it grows: Redis reads it up to its last complete entry. */
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

/** Kills Redis and starts it without data. */
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
