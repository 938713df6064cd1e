import { describe, expect, it } from 'vitest';
import {
  apiKeyScope,
  CALENDAR_MONTH,
  describeLimits,
  nameWithPeriod,
  projectScope,
  scopeName,
} from './limits.ts';

const LIMITS = { rateLimitPerMinute: 60, monthlyQuota: 10_000 };
const NONE = { rateLimitPerMinute: null, monthlyQuota: null };

describe('limits', () => {
  it('are described in words, with numbers as the reader writes them', () => {
    expect(describeLimits(LIMITS)).toBe('60 requests per minute, 10000 per month');
    const inEnglish = (count: number) => count.toLocaleString('en');
    expect(describeLimits(LIMITS, inEnglish)).toBe('60 requests per minute, 10,000 per month');
  });

  it("of a project are its plan's", () => {
    expect(projectScope('p', LIMITS)).toEqual({
      kind: 'project',
      id: 'p',
      period: CALENDAR_MONTH,
      limits: {
        minute: { owner: 'plan', window: 'minute', value: 60 },
        month: { owner: 'plan', window: 'month', value: 10_000 },
      },
    });
  });

  it("of a key are its own, and for the rate otherwise the project's default", () => {
    const own = apiKeyScope('k', LIMITS, 5);
    expect(own.limits.minute).toEqual({ owner: 'api_key', window: 'minute', value: 60 });
    expect(own.limits.month).toEqual({ owner: 'api_key', window: 'month', value: 10_000 });
    expect(apiKeyScope('k', NONE, 5).limits).toEqual({
      minute: { owner: 'project_default', window: 'minute', value: 5 },
      month: null,
    });
    expect(apiKeyScope('k', NONE, null)).toEqual({
      kind: 'api_key',
      id: 'k',
      period: CALENDAR_MONTH,
      limits: { minute: null, month: null },
    });
  });
});

it('a scope is named by its key or `project`, and by its period where that is no calendar month', () => {
  const project = projectScope('p', LIMITS);
  expect(scopeName(project)).toBe('project');
  expect(scopeName(apiKeyScope('k', NONE, null))).toBe('k');
  expect(scopeName({ ...project, period: 15 })).toBe('project@15');
  expect(nameWithPeriod('k', 0)).toBe('k@0');
});
