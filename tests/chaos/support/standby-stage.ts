import { createTestDatabase } from '../../support/database.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { startTestRedis, type TestService } from '../../support/services.ts';
import { startTestNetwork } from './proxy.ts';
import { openStage, type Stage } from './stage.ts';

/** How a Runtime may come to ask a standby. */
export const ARRANGEMENTS = ['a list of both hosts', 'a balancer in front of both'] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** A stage over a primary and a standby; its world writes to the primary alone. */
export interface StandbyStage extends Stage {
  readonly pair: PostgresPair;
  readonly redis: TestService;
  readonly urls: Readonly<Record<Arrangement, string>>;
}

export async function openStandbyStage(): Promise<StandbyStage> {
  const [pair, redis] = await Promise.all([startPostgresPair(), startTestRedis()]);
  const { url: databaseUrl } = await createTestDatabase(pair.primary.url);
  const balancer = await startTestNetwork(databaseUrl, pair.standby.url);
  const stage = openStage({ databaseUrl, redisUrl: redis.url });
  return {
    ...stage,
    pair,
    redis,
    urls: {
      'a list of both hosts': pair.hostListUrl(databaseUrl),
      'a balancer in front of both': balancer.url,
    },
    async close() {
      await stage.close();
      await balancer.close();
      await Promise.all([pair.dispose(), redis.dispose()]);
    },
  };
}
