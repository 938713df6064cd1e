import { beforeEach, describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

/** The longest wait is 100 ms. */
const DEADLINE_MS = 500;

describe('the pace of refusals', () => {
  let nowMs = 5_000;
  /** When each refusal is answered, in ms since the first. */
  let answeredAt: number[] = [];
  let pace: Pace;

  beforeEach(() => {
    answeredAt = [];
    const after = (waitMs: number, then: () => void) => {
      answeredAt.push(nowMs + waitMs - 5_000);
      then();
    };
    nowMs = 5_000;
    pace = new Pace({ maxPerMs: 4, deadlineMs: DEADLINE_MS, now: () => nowMs, after });
  });

  const refuse = async (count: number, remainingMs = DEADLINE_MS) => {
    for (let n = 0; n < count; n += 1) {
      const answered = answeredAt.length;
      await pace.slot({ remainingMs: () => remainingMs });
      if (answeredAt.length === answered) answeredAt.push(nowMs - 5_000);
    }
  };

  it('answers few refusals at once', async () => {
    for (let ms = 0; ms < 100; ms += 1) {
      nowMs = 5_000 + ms;
      await refuse(4);
      expect(answeredAt.splice(0)).toEqual(Array(4).fill(ms));
    }
  });

  it('answers so many of a flood in each millisecond', async () => {
    await refuse(400);
    expect(answeredAt).toEqual(Array.from({ length: 400 }, (_, n) => Math.floor(n / 4)));
  });

  it('answers each within a fifth of the deadline, however many there are', async () => {
    await refuse(10_000);
    expect(Math.max(...answeredAt)).toBe(100);
  });

  it('answers a caller with little time in half of it, and the others at their turn', async () => {
    await refuse(200);
    await refuse(1, 30);
    await refuse(1, -1);
    await refuse(2);
    expect(answeredAt.slice(-4)).toEqual([15, 0, 50, 50]);
  });

  it('owes nothing to a time without refusals', async () => {
    await refuse(80);
    nowMs += 60_000;
    await refuse(1);
    expect(answeredAt.at(-1)).toBe(60_000);
  });
});
