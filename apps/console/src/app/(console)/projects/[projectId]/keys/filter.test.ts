import { describe, expect, it } from 'vitest';
import { readFilter, SORTS, sortText } from './filter.ts';

describe('readFilter', () => {
  it('shows active keys, the newest first, without a query or with an unknown one', () => {
    const expected = { status: 'active', hint: undefined, sort: 'created', descending: true };
    expect(readFilter({})).toEqual(expected);
    expect(readFilter({ status: 'x', hint: 'x', sort: '-x' })).toMatchObject({ status: 'active' });
    expect(readFilter({ sort: 'name; drop' })).toEqual(expected);
  });

  it.each(SORTS)('reads the order by %s in both directions, as it is written', (sort) => {
    for (const descending of [true, false]) {
      expect(readFilter({ sort: sortText({ sort, descending }) })).toMatchObject({
        sort,
        descending,
      });
    }
  });
});
