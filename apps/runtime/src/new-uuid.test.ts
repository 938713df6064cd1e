import { expect, it } from 'vitest';
import { newUuid } from './new-uuid.ts';

it('never returns the same id twice', () => {
  const ids = Array.from({ length: 10_000 }, newUuid);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
