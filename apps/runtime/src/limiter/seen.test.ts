import { expect, it } from 'vitest';
import { createSeenCounters } from './seen.ts';

it('what was seen of the least recently used counter is forgotten first', () => {
  const seen = createSeenCounters(2);
  for (const key of ['a', 'b']) seen.set(key, `of ${key}`);
  seen.get('a');
  seen.set('c', 'of c');
  expect(['a', 'b', 'c'].map((key) => seen.get(key))).toEqual(['of a', undefined, 'of c']);
});
