import { describe, expect, it } from 'vitest';
import { customerOf, readFilter, SORTS, sortsOf, sortText } from './filter.ts';

const ID = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';

it('reads the ID of a customer in any letter case, and no other text', () => {
  expect(customerOf({ customer: ID.toUpperCase() })).toBe(ID);
  expect(customerOf({ customer: 'acme' })).toBeUndefined();
});

describe('readFilter', () => {
  it('shows active keys, the newest first, without a query or with an unknown one', () => {
    const expected = { status: 'active', hint: undefined, sort: 'created', descending: true };
    expect(readFilter({})).toEqual(expected);
    expect(readFilter({ status: 'x', hint: 'x', sort: '-x' })).toMatchObject({ status: 'active' });
    expect(readFilter({ sort: 'name; drop' })).toEqual(expected);
  });

  it.each(SORTS)('reads the order by %s in both directions, as it is written', (sort) => {
    const status = sort === 'ended' ? 'revoked' : 'active';
    for (const descending of [true, false]) {
      expect(readFilter({ status, sort: sortText({ sort, descending }) })).toMatchObject({
        sort,
        descending,
      });
    }
  });

  it('orders active keys by their expiry and ended ones by their end, and none by the other', () => {
    expect(sortsOf('active')).not.toContain('ended');
    expect(sortsOf('archived')).not.toContain('expires');
    const sortIn = (query: Record<string, string>) => readFilter(query).sort;
    expect(sortIn({ status: 'revoked', sort: 'expires' })).toBe('created');
    expect(sortIn({ status: 'all', sort: 'ended' })).toBe('created');
    expect(sortIn({ status: 'revoked', hint: 'idle', sort: 'expires' })).toBe('expires');
  });
});
