import { AUDIT_ACTIONS } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { AUDIT_KINDS, auditWords, fieldChanges, fieldWords, kindsIn } from './audit-words.ts';

describe('fieldChanges', () => {
  it('returns the fields that differ, and no others', () => {
    expect(
      fieldChanges({ plan: 'Free', status: 'active' }, { plan: 'Pro', status: 'active' }),
    ).toEqual([{ field: 'plan', before: 'Free', after: 'Pro' }]);
  });

  it('distinguishes a value that became null from one that was absent', () => {
    expect(fieldChanges({ expiresAt: 'x' }, { expiresAt: null, name: 'y' })).toEqual([
      { field: 'expiresAt', before: 'x', after: null },
      { field: 'name', after: 'y' },
    ]);
  });

  it.each([[null], [undefined], ['text'], [[1, 2]], [7]])('finds no fields in %j', (value) => {
    expect(fieldChanges(value, value)).toEqual([]);
    expect(fieldChanges(value, { a: 1 })).toEqual([{ field: 'a', after: 1 }]);
  });
});

describe('kindsIn', () => {
  it('offers every kind in a log that can have it', () => {
    const offered = [{ projectId: 'p' }, {}, { projectId: null }].map((scope) =>
      kindsIn(scope).map(({ value }) => value),
    );
    expect(offered).toEqual([
      [
        'api_key',
        'policy',
        'subscription',
        'project',
        'member',
        'invitation',
        'alert_destination',
        'alert_address',
      ],
      [...(offered[0] ?? []), 'user'],
      ['user', 'plan', 'retention', 'setup_token'],
    ]);
  });
});

describe('auditWords', () => {
  it('has a verb and a filter for every audit action', () => {
    const kinds = new Set<string>(AUDIT_KINDS.map(({ value }) => value));
    for (const action of AUDIT_ACTIONS) {
      expect(auditWords(action)).not.toBe(action);
      expect(kinds).toContain(action.split('.')[0]);
    }
  });

  it('shows an unknown action or field by its name', () => {
    expect(auditWords('planet.create')).toBe('planet.create');
    expect(fieldWords('rateLimitPerMinute')).toBe('rate limit per minute');
  });
});
