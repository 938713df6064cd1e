import { expect, it } from 'vitest';
import { RedisClock } from './clock.ts';

it('is the last TIME told plus the time since, also after a step back', () => {
  let now = 100;
  const clock = new RedisClock(() => now);
  clock.observe(1_000_000);
  now += 250;
  expect(clock.estimateMs()).toBe(1_000_250);
  clock.observe(900_000);
  now += 1;
  expect(clock.estimateMs()).toBe(900_001);
});

it('knows nothing before the first TIME, so that a deadline on it has passed', () => {
  expect(new RedisClock(() => 5).estimateMs()).toBeLessThan(1000);
});
