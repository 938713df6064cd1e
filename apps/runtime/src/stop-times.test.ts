import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSettings } from './env.ts';
import { stopTimes } from './stop-times.ts';

const REQUIRED = { DATABASE_URL: 'postgres://db/ceiba', REDIS_URL: 'redis://cache' };
const LARGEST = {
  SHUTDOWN_DELAY_MS: 5_000,
  KEY_ROUTE_DEADLINE_MS: 60_000,
  DECISION_DEADLINE_MS: 60_000,
};
const given = (settings: Partial<typeof LARGEST>) =>
  readSettings({
    ...REQUIRED,
    ...Object.fromEntries(Object.entries(settings).map(([name, ms]) => [name, `${ms}`])),
  });

it('a stop takes at most nine seconds by default', () => {
  expect(stopTimes(given({}))).toEqual({ delayMs: 0, drainMs: 3_000, maxMs: 9_000 });
});

it.each(['KEY_ROUTE_DEADLINE_MS', 'DECISION_DEADLINE_MS'] as const)(
  'a stop has time for the longest %s, and then for three writes of two seconds',
  (name) => {
    const { SHUTDOWN_DELAY_MS } = LARGEST;
    const { delayMs, drainMs, maxMs } = stopTimes(
      given({ SHUTDOWN_DELAY_MS, [name]: LARGEST[name] }),
    );
    expect(drainMs).toBeGreaterThan(LARGEST[name]);
    expect(maxMs - drainMs - delayMs).toBeGreaterThanOrEqual(6_000);
  },
);

it.each([
  ['charts/ceiba/templates/runtime.yaml', /terminationGracePeriodSeconds: (\d+)/],
  ['compose.yaml', /stop_grace_period: (\d+)s/],
  ['packages/devstack/src/programs.ts', /graceMs: (\d+)_000/],
])('%s kills no Runtime before any settings let it end', (file, period) => {
  for (const [name, ms] of Object.entries(LARGEST)) {
    expect(() => given({ [name]: ms + 1 })).toThrow(name);
  }
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const [, seconds] = period.exec(text) ?? [];
  // The primary of workers gives them half a second more.
  expect(Number(seconds) * 1_000).toBeGreaterThan(stopTimes(given(LARGEST)).maxMs + 500 + 1_000);
});
