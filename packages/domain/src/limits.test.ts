import { describe, expect, it } from 'vitest';
import { CALENDAR_MONTH, describeLimits, NO_LIMITS, nameWithPeriod, scopeName } from './limits.ts';
import { apiKeyScope, projectScope } from './test-support.ts';

const LIMITS = { rateLimitPerMinute: 60, monthlyQuota: 10_000 };

describe('limits', () => {
  it('are described in words, with numbers as the reader writes them', () => {
    expect(describeLimits(LIMITS)).toBe('60 requests per minute, 10000 per month');
    const inEnglish = (count: number) => count.toLocaleString('en');
    expect(describeLimits(LIMITS, inEnglish)).toBe('60 requests per minute, 10,000 per month');
    expect(describeLimits({ ...NO_LIMITS, dailyQuota: 5 })).toBe('5 requests per day');
  });

  it("of a project are its plan's", () => {
    expect(projectScope('p', LIMITS)).toEqual({
      kind: 'project',
      id: 'p',
      period: CALENDAR_MONTH,
      rate: { owner: 'plan', window: 'minute', value: 60 },
      quota: { owner: 'plan', window: 'month', value: 10_000 },
    });
  });

  it("of a key are its own, and for the rate otherwise the project's default", () => {
    const own = apiKeyScope('k', LIMITS, 5);
    expect(own.rate).toEqual({ owner: 'api_key', window: 'minute', value: 60 });
    expect(own.quota).toEqual({ owner: 'api_key', window: 'month', value: 10_000 });
    expect(apiKeyScope('k', NO_LIMITS, 5)).toMatchObject({
      rate: { owner: 'project_default', window: 'minute', value: 5 },
      quota: null,
    });
    expect(apiKeyScope('k', NO_LIMITS, null)).toEqual({
      kind: 'api_key',
      id: 'k',
      period: CALENDAR_MONTH,
      rate: null,
      quota: null,
    });
  });
});

it('a scope is named by its key or `project`, and by its period where that is no calendar month', () => {
  const project = projectScope('p', LIMITS);
  expect(scopeName(project)).toBe('project');
  expect(scopeName(apiKeyScope('k', NO_LIMITS, null))).toBe('k');
  expect(scopeName({ ...project, period: 15 })).toBe('project@15');
  expect(nameWithPeriod('k', 0)).toBe('k@0');
});
