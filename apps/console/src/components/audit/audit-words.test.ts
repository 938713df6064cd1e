import { AUDIT_ACTIONS } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { AUDIT_KINDS, auditWords, fieldChanges, fieldWords } from './audit-words.ts';

describe('fieldChanges', () => {
  it('tells what differs, and leaves out what stayed', () => {
    expect(
      fieldChanges({ plan: 'Free', status: 'active' }, { plan: 'Pro', status: 'active' }),
    ).toEqual([{ field: 'plan', before: 'Free', after: 'Pro' }]);
  });

  it('tells a value that became none from one that was not there', () => {
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

describe('words', () => {
  it('has a sentence and a filter for every action that can be written', () => {
    const kinds = new Set<string>(AUDIT_KINDS.map(({ value }) => value));
    for (const action of AUDIT_ACTIONS) {
      expect(auditWords(action)).not.toBe(action);
      expect(kinds).toContain(action.split('.')[0]);
    }
  });

  it('names an action and a field that it does not know', () => {
    expect(auditWords('planet.create')).toBe('planet.create');
    expect(fieldWords('rateLimitPerMinute')).toBe('rate limit per minute');
  });
});
