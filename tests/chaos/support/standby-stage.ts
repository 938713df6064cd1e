import { createTestDatabase } from '../../support/database.ts';
import { haproxy, startHaProxy } from '../../support/haproxy.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { startTestRedis, type TestService } from '../../support/services.ts';
import { startTestNetwork } from './proxy.ts';
import { openStage, type Stage } from './stage.ts';

/** The ways in which a Runtime may connect to a standby. */
export const ARRANGEMENTS = [
  'a list of both hosts',
  'a balancer in front of both',
  'HAProxy in front of both',
] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** A stage with a primary and a standby; its world writes only to the primary. */
export interface StandbyStage extends Stage {
  readonly pair: PostgresPair;
  readonly redis: TestService;
  /** Empty for HAProxy if the machine has none. */
  readonly urls: Readonly<Record<Arrangement, string>>;
}

export async function openStandbyStage(): Promise<StandbyStage> {
  const [pair, redis] = await Promise.all([startPostgresPair(), startTestRedis()]);
  const { url: databaseUrl } = await createTestDatabase(pair.primary.url);
  const balancer = await startTestNetwork(databaseUrl, pair.standby.url);
  const haProxy =
    haproxy === undefined ? null : await startHaProxy([databaseUrl, pair.standby.url]);
  const stage = openStage({ databaseUrl, redisUrl: redis.url });
  return {
    ...stage,
    pair,
    redis,
    urls: {
      'a list of both hosts': pair.hostListUrl(databaseUrl),
      'a balancer in front of both': balancer.url,
      'HAProxy in front of both': haProxy?.url ?? '',
    },
    async close() {
      await stage.close();
      await Promise.all([balancer.close(), haProxy?.dispose()]);
      await Promise.all([pair.dispose(), redis.dispose()]);
    },
  };
}
