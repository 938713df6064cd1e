import { AUDIT_ACTIONS } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import {
  auditWords,
  auditWordsHere,
  fieldChanges,
  fieldWords,
  kindsIn,
  targetLink,
} from './audit-words.ts';
import { AUDITED } from './audited.ts';

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
  it('offers the kinds that a log can have, and no other', () => {
    const [ofProject, ofUser, ofInstallation] = [{ projectId: 'p' }, {}, { projectId: null }].map(
      (scope) => kindsIn(scope).map(({ value }) => value),
    );
    expect(ofProject).toEqual(expect.arrayContaining(['api_key', 'member', 'project']));
    expect(ofUser).toEqual([...(ofProject ?? []), 'user', 'sign_in']);
    expect(ofInstallation).toEqual([
      'user',
      'sign_in',
      'plan',
      'second_factor',
      'retention',
      'setup_token',
    ]);
  });
});

describe('auditWords', () => {
  it('has a verb for every audited action, and no other', () => {
    const described = Object.entries(AUDITED).flatMap(([kind, { verbs }]) =>
      Object.keys(verbs).map((verb) => `${kind}.${verb}`),
    );
    expect(described.sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it('has the verb of an action', () => {
    expect(auditWords('api_key.revoke')).toBe('revoked key');
  });

  it('has the verb of an action for the page of its item', () => {
    expect(auditWordsHere('api_key.set_expiry')).toBe('set the expiry of this key');
    expect(auditWordsHere('customer.suspend')).toBe('suspended this customer');
  });

  it('shows an unknown action or field by its name', () => {
    expect(auditWords('planet.create')).toBe('planet.create');
    expect(fieldWords('rateLimitPerMinute')).toBe('rate limit per minute');
  });
});

describe('targetLink', () => {
  const viewer = { userId: 'me', isAdministrator: false, may: () => true };
  const rowAbout = (kind: string, exists = true) => ({
    target: { kind, id: 'it', label: null, exists },
    projectId: 'p',
  });

  it('leads to what was changed, unless it was deleted or has no page', () => {
    const link = { href: '/projects/p/keys/it', word: 'key' };
    expect(targetLink(rowAbout('api_key'), viewer)).toEqual(link);
    expect(targetLink(rowAbout('api_key', false), viewer)).toBeNull();
    expect(targetLink(rowAbout('retention'), viewer)).toBeNull();
    expect(targetLink(rowAbout('planet'), viewer)).toBeNull();
  });
});
