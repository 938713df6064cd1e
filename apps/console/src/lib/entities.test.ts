import { describe, expect, it } from 'vitest';
import { type AuditedKind, ENTITIES, entityOf, KINDS } from './entities.ts';
import { type Entity, PAGE_GROUPS } from './entity.ts';

describe('the descriptors', () => {
  it('of an audited kind is what the compiler asks for', () => {
    const { plan: _, ...others } = ENTITIES;
    // The check of types is the test: it fails where the next line compiles.
    // @ts-expect-error: `plan` is audited, and has no descriptor here
    const without: Record<AuditedKind, Entity> = others;
    expect(Object.keys(without)).not.toContain('plan');
  });

  it('have the pages of a group beside each other, in the order of the groups, after the overview', () => {
    const groups = KINDS.flatMap(({ entity }) => (entity.page ? [entity.page.group] : []));
    expect(groups.filter((group, at) => group !== groups[at - 1] || at === 0)).toEqual([
      undefined,
      ...PAGE_GROUPS,
    ]);
    expect(groups.indexOf(undefined)).toBe(groups.lastIndexOf(undefined));
  });

  it('give each page of a project an address of its own', () => {
    const paths = KINDS.flatMap(({ entity }) => entity.page?.path ?? []);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

const USER = { userId: 'me', isAdministrator: false, may: () => true };
const ADMINISTRATOR = { ...USER, isAdministrator: true };

describe('the link to one item', () => {
  const hrefOf = (kind: string, viewer: typeof USER, id = 'it') =>
    entityOf(kind)?.opens?.href({ projectId: 'p', id, label: 'ana@example.com' }, viewer) ?? null;

  it.each([
    ['project', '/projects/it'],
    ['subscription', '/projects/it/subscription'],
    ['api_key', '/projects/p/keys/it'],
    ['policy', '/projects/p/policies/it'],
    ['customer', '/projects/p/customers/it'],
    ['customer_plan', '/projects/p/plans'],
    ['alert_destination', '/projects/p/alerts/it'],
    ['member', '/projects/p/members'],
    ['invitation', '/projects/p/members'],
    ['decision', '/projects/p/requests/it'],
    ['plan', null],
    ['user', null],
    ['retention', null],
    ['planet', null],
  ])('of a %s is %s', (kind, href) => {
    expect(hrefOf(kind, USER)).toBe(href);
  });

  it('of a policy is its row in the list for a role that cannot open it', () => {
    expect(hrefOf('policy', { ...USER, may: () => false })).toBe('/projects/p/policies?q=it');
  });

  it('of an account is the page of the viewer, or its row in the list of an administrator', () => {
    expect(hrefOf('user', ADMINISTRATOR, 'me')).toBe('/account');
    expect(hrefOf('user', ADMINISTRATOR)).toBe('/admin?tab=users&q=ana%40example.com');
    expect(hrefOf('plan', ADMINISTRATOR)).toBe('/admin');
  });
});
