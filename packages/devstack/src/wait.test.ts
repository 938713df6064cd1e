import { describe, expect, it } from 'vitest';

import { waitFor } from './wait.ts';

describe('waitFor', () => {
  it('returns what the condition returned when it first held', async () => {
    const answers = [undefined, 0, 'third', 'fourth'];
    const held = await waitFor(() => answers.shift(), { timeoutMs: 10_000, intervalMs: 1 });
    expect(held).toBe('third');
  });

  it('ends at the timeout if the condition never holds, or is still pending', async () => {
    expect(await waitFor(() => false, { timeoutMs: 5, intervalMs: 1 })).toBeUndefined();
    expect(await waitFor(() => new Promise(() => {}), { timeoutMs: 5 })).toBeUndefined();
  });

  it('polls for ever without a finite timeout', async () => {
    let polls = 0;
    const timeoutMs = Number.POSITIVE_INFINITY;
    expect(await waitFor(() => ++polls > 20, { timeoutMs, intervalMs: 1 })).toBe(true);
  });

  it('rejects with the error of the condition', async () => {
    const failing = () => Promise.reject(new Error('broken'));
    await expect(waitFor(failing, { timeoutMs: 10_000 })).rejects.toThrow('broken');
  });
});
