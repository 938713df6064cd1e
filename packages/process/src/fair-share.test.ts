import { expect, test, vi } from 'vitest';
import { FairShare } from './fair-share.ts';

const PATIENCE_MS = 3_000;
const tooMany = () => new RangeError('too many calls');

test('a user has a share of the calls, and another user does not wait for it', async () => {
  const shares = new FairShare(2, PATIENCE_MS, tooMany);
  const entered: string[] = [];
  const enter = async (name: string, user: string) => {
    const leave = await shares.enter(user);
    entered.push(name);
    return leave;
  };
  const first = await enter('a1', 'a');
  await enter('a2', 'a');
  const waiting = [enter('a3', 'a'), enter('a4', 'a')];
  await enter('b1', 'b');
  expect(entered).toEqual(['a1', 'a2', 'b1']);
  first();
  const third = await waiting[0];
  expect(entered).toEqual(['a1', 'a2', 'b1', 'a3']);
  third?.();
  await waiting[1];
  expect(entered.at(-1)).toBe('a4');
});

test('a call that waits for longer than its patience is refused, and its place goes to the next', async () => {
  vi.useFakeTimers();
  try {
    const shares = new FairShare(1, PATIENCE_MS, tooMany);
    const leave = await shares.enter('a');
    const refused = expect(shares.enter('a')).rejects.toThrow(RangeError);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    await refused;
    const next = shares.enter('a');
    leave();
    (await next)();
    await shares.enter('a');
  } finally {
    vi.useRealTimers();
  }
});
