import { describe, expect, it } from 'vitest';
import { pageWithin, parseListQuery, withQuery } from './list-query.ts';

describe('parseListQuery', () => {
  it.each([[undefined], ['0'], ['-1'], ['1.5'], ['x'], ['1e9'], ['']])(
    'returns the first page for page=%s',
    (page) => {
      expect(parseListQuery({ page }).page).toBe(1);
    },
  );

  it('uses the first of several values', () => {
    expect(parseListQuery({ q: [' a ', 'b'], page: ['2', '3'] })).toEqual({ q: 'a', page: 2 });
  });
});

describe('pageWithin', () => {
  it.each([
    [2, 51, 2],
    [2, 50, 1],
    [100_000, 121, 3],
    [1, 121, 1],
    [7, 0, 1],
  ])('of page %i of %i rows is page %i', (page, total, shown) => {
    expect(pageWithin(page, { total, pageSize: 50 })).toBe(shown);
  });
});

describe('withQuery', () => {
  it('keeps all other parameters', () => {
    expect(withQuery('/keys', { status: 'active', page: '2' }, { page: '3' })).toBe(
      '/keys?status=active&page=3',
    );
  });

  it('removes parameters', () => {
    expect(withQuery('/keys', { page: '2' }, { page: undefined })).toBe('/keys');
  });
});
