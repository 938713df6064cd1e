import { expect, it, vi } from 'vitest';
import { Failed, isolated } from './isolate.ts';

const ITEMS = Array.from({ length: 10 }, (_, index) => index);
const refusing = (bad: number[]) =>
  vi.fn(async (items: readonly number[]) => {
    if (items.some((item) => bad.includes(item))) throw new Error('one is bad');
    return items.map((item) => item * 2);
  });
const valuesOf = (outcomes: unknown[]) =>
  outcomes.map((outcome) => (outcome instanceof Failed ? String(outcome.error) : outcome));

it('runs a good batch once, in order', async () => {
  const run = refusing([]);
  expect(await isolated(ITEMS, run, { isOfOneItem: () => true })).toEqual(ITEMS.map((n) => n * 2));
  expect(run).toHaveBeenCalledOnce();
});

it('fails the bad items of a batch alone, each in its place', async () => {
  const outcomes = await isolated(ITEMS, refusing([3, 9]), { isOfOneItem: () => true });
  expect(valuesOf(outcomes)).toEqual(
    ITEMS.map((n) => (n === 3 || n === 9 ? 'Error: one is bad' : n * 2)),
  );
});

it('fails all that are left, without another run, for an error that is that of all', async () => {
  const run = refusing([7]);
  run.mockRejectedValueOnce(new Error('split')).mockRejectedValueOnce(new Error('away'));
  const outcomes = await isolated(ITEMS, run, {
    isOfOneItem: (error) => !String(error).includes('away'),
  });
  expect(valuesOf(outcomes)).toEqual(ITEMS.map(() => 'Error: away'));
  expect(run).toHaveBeenCalledTimes(2);
});

it('needs no more runs than it may, even if every item is bad', async () => {
  const run = refusing(ITEMS);
  const outcomes = await isolated(ITEMS, run, { isOfOneItem: () => true, runsMax: 4 });
  expect(outcomes).toHaveLength(ITEMS.length);
  expect(run).toHaveBeenCalledTimes(4);
});
