import { expect, it } from 'vitest';
import { newUuid } from './new-uuid.ts';

it('never returns the same id twice', () => {
  const ids = Array.from({ length: 10_000 }, newUuid);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('begins with the time in ms since 1970, so that ids sort by time', () => {
  const before = Date.now();
  const time = Number.parseInt(newUuid().replace('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});
