import { describe, expect, it } from 'vitest';
import { FAILING_DAYS, RETRY_PAUSES_SECONDS, retryPauseSeconds } from './alerts.ts';

describe('the retries of a delivery', () => {
  const attempts = [...RETRY_PAUSES_SECONDS.keys()].map((index) => index + 1);

  it('come later each time, and end after the tenth attempt', () => {
    const pauses = attempts.map((attempt) => retryPauseSeconds(attempt, 0));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(retryPauseSeconds(10, 0)).toBeNull();
  });

  it('are spread over a tenth of the pause', () => {
    for (const [index, pause] of RETRY_PAUSES_SECONDS.entries()) {
      expect(retryPauseSeconds(index + 1, 0.5)).toBeCloseTo(pause * 1.05);
      expect(retryPauseSeconds(index + 1, 1)).toBeCloseTo(pause * 1.1);
    }
  });

  it('last longer than a destination may fail, so that one lost alert is enough to disable it', () => {
    const seconds = RETRY_PAUSES_SECONDS.reduce<number>((sum, pause) => sum + pause, 0);
    expect(seconds).toBeGreaterThan(FAILING_DAYS * 86_400);
  });
});
