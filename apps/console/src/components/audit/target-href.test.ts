import { describe, expect, it } from 'vitest';
import { targetHref } from './target-href.ts';

const USER = { userId: 'me', isAdministrator: false, opensPolicies: true };
const ADMINISTRATOR = { ...USER, isAdministrator: true };
const rowAbout = (kind: string, exists = true, id = 'it') => ({
  target: { kind, id, label: 'ana@example.com', exists },
  projectId: 'p',
});

describe('targetHref', () => {
  it.each([
    ['project', '/projects/it'],
    ['subscription', '/projects/it/subscription'],
    ['api_key', '/projects/p/keys/it'],
    ['policy', '/projects/p/policies/it'],
    ['member', '/projects/p/members'],
    ['invitation', '/projects/p/members'],
    ['plan', null],
    ['user', null],
    ['retention', null],
    ['planet', null],
  ])('of a %s is %s', (kind, href) => {
    expect(targetHref(rowAbout(kind), USER)).toBe(href);
    expect(targetHref(rowAbout(kind, false), ADMINISTRATOR)).toBeNull();
  });

  it('of a policy is its row in the list for a role that cannot open it', () => {
    const viewer = { ...USER, opensPolicies: false };
    expect(targetHref(rowAbout('policy'), viewer)).toBe('/projects/p/policies?q=it');
  });

  it('of an account is the page of the viewer, or its row in the list of an administrator', () => {
    expect(targetHref(rowAbout('user', true, 'me'), ADMINISTRATOR)).toBe('/account');
    expect(targetHref(rowAbout('user'), ADMINISTRATOR)).toBe(
      '/admin?tab=users&q=ana%40example.com',
    );
    expect(targetHref(rowAbout('plan'), ADMINISTRATOR)).toBe('/admin');
  });
});
