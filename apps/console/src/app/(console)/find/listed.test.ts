import { describe, expect, it } from 'vitest';
import type { Found } from '#components/shell/found.ts';
import { ENTITIES } from '#lib/entities.ts';
import { LISTED, listedOf } from './listed.ts';

const project = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

/** Customers `acme-0`, `acme-1` and so on, in turn of each of the projects. */
const customers = (count: number, projects = 1): Found[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'customer',
    name: `acme-${index}`,
    detail: '',
    href: `/projects/${project(index % projects)}/customers/${index}`,
  }));
const guides: Found[] = customers(LISTED + 1).map((found) => ({
  ...found,
  kind: 'guide',
  href: '/docs/keys',
}));
const listed = (found: Found[]) => listedOf(ENTITIES.customer, found, 'acme & co');

describe('what Find lists of a kind', () => {
  it('is all of it up to 20', () => {
    expect(listed([...customers(LISTED), ...guides])).toMatchObject({
      items: customers(LISTED),
      isCut: false,
      allHref: null,
    });
  });

  it('is the first 20 of more, which leads to the list with all of them', () => {
    expect(listed(customers(LISTED + 1))).toMatchObject({
      items: customers(LISTED),
      isCut: true,
      allHref: `/projects/${project(0)}/customers?q=acme+%26+co`,
    });
    expect(listedOf(ENTITIES.guide, guides, 'acme')).toMatchObject({
      isCut: true,
      allHref: '/docs?q=acme',
    });
  });

  it('leads to no list where they are of several projects', () => {
    expect(listed(customers(LISTED + 1, 2))).toMatchObject({ isCut: true, allHref: null });
  });
});
