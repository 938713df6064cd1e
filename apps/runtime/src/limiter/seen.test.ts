import { expect, it } from 'vitest';
import { SeenCounters } from './seen.ts';

const counter = { lineage: 'l', minute: 7, minuteCount: 1, monthCount: 2 };

it('remembers the last counts of each counter, and nothing of an unknown one', () => {
  const seen = new SeenCounters();
  seen.set('a', { ...counter, monthCount: 1 });
  seen.set('a', counter);
  expect(seen.get('a')).toEqual(counter);
  expect(seen.get('b')).toEqual({ lineage: '-', minute: 0, minuteCount: 0, monthCount: 0 });
});

it('shares nothing with what it was given', () => {
  const seen = new SeenCounters();
  seen.set('a', counter);
  seen.set('a', { ...counter, monthCount: 9 });
  seen.set('b', counter);
  expect(seen.get('b')).toEqual(counter);
});

it('is bounded, and evicts the least recently used counter', () => {
  const seen = new SeenCounters(2);
  for (const key of ['a', 'b']) seen.set(key, counter);
  seen.get('a');
  seen.set('c', counter);
  expect(['a', 'b', 'c'].map((key) => seen.get(key).lineage === 'l')).toEqual([true, false, true]);
});
