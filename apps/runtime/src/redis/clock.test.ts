import { expect, it } from 'vitest';
import { RedisClock } from './clock.ts';

it('is the last observed TIME plus the time since, also after a step back', () => {
  let now = 100;
  const clock = new RedisClock(
    () => now,
    () => 1_000_000,
  );
  clock.observe(1_000_000);
  now += 250;
  expect(clock.estimateMs()).toBe(1_000_250);
  clock.observe(900_000);
  now += 1;
  expect(clock.estimateMs()).toBe(900_001);
});

it('is close to 1970 before the first TIME, so that every deadline has passed', () => {
  expect(new RedisClock(() => 5).estimateMs()).toBeLessThan(1000);
});

it('follows a server that is up to five minutes ahead, but not further', () => {
  let now = 5;
  const clock = new RedisClock(
    () => now,
    () => 1_000_000,
  );
  clock.observe(1_301_000);
  expect(clock.estimateMs()).toBeLessThan(1000);
  expect(clock.problem).toContain('301 s ahead');
  clock.observe(1_300_000);
  expect(clock.estimateMs()).toBe(1_300_000);
  expect(clock.problem).toBeNull();
  clock.observe(9_000_000);
  now += 250;
  expect(clock.estimateMs()).toBe(1_300_250);
  expect(clock.problem).not.toBeNull();
});

it('follows a server that is behind by any time: no window opens too early', () => {
  const clock = new RedisClock(
    () => 5,
    () => 1_000_000_000,
  );
  clock.observe(1_000);
  expect(clock.estimateMs()).toBe(1_000);
});
