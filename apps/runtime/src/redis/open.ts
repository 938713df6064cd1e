import type { Logger } from '@ceiba/process/log';
import { rehearseCharge, whatToChangeInRedis } from '@ceiba/process/redis';
import type { Settings } from '../env.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { CHECK_BUDGET_MS, Rehearsal } from '../rehearsal.ts';
import { UnavailableError } from '../unavailable.ts';
import { RedisClock } from './clock.ts';
import { EpochProbe } from './epoch-probe.ts';
import { RedisLink } from './link.ts';

/** What the Runtime knows of Redis. */
export interface RuntimeRedis {
  readonly link: RedisLink;
  readonly clock: RedisClock;
  /** Why nothing may be charged although Redis answers; null where charging is fine. */
  problem(): string | null;
  /** That of `/ready`. */
  check(): Promise<void>;
  close(): void;
}

export function openRedis(settings: Settings, metrics: Metrics, log: Logger): RuntimeRedis {
  const now = performance.now.bind(performance);
  const clock = new RedisClock(now, Date.now);
  const address = { url: settings.REDIS_URL, cluster: settings.REDIS_CLUSTER };
  const link = new RedisLink({
    ...address,
    sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
    clock,
    log,
    random: Math.random,
    now,
    onError: (error) => metrics.redisFailed(error),
  });
  const epochProbe = new EpochProbe({ ...address, log });
  const rehearsal = new Rehearsal(
    'redis',
    () => link.sendToEach(CHECK_BUDGET_MS, rehearseCharge),
    whatToChangeInRedis,
  );
  return {
    link,
    clock,
    problem: () => epochProbe.problem,
    async check() {
      await link.ping(CHECK_BUDGET_MS);
      const problem = epochProbe.problem ?? clock.problem;
      if (problem !== null) throw new UnavailableError('redis', problem);
      await rehearsal.check();
    },
    close() {
      epochProbe.close();
      link.close();
    },
  };
}
