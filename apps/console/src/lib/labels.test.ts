import { describe, expect, it } from 'vitest';
import { countOpen, labelSetsOf, labelsIn, labelsOfSets, labelText, mayCall } from './labels.ts';

describe('labels as they are typed', () => {
  it.each([
    ['', []],
    [' , ', []],
    ['read', ['read']],
    ['read, reports:write\nadmin', ['read', 'reports:write', 'admin']],
  ])('%j are %j', (text, labels) => {
    expect(labelsIn(text)).toEqual(labels);
  });

  it('are shown as they can be typed again', () => {
    expect(labelsIn(labelText(['read', 'write']))).toEqual(['read', 'write']);
    expect(labelText(null)).toBe('');
  });
});

describe('the preview of scopes', () => {
  const sets = labelSetsOf([
    { scopes: ['read'] },
    { scopes: ['read'] },
    { scopes: ['read', 'write'] },
    { scopes: null },
    { scopes: [] },
  ]);

  it('counts policies by their labels', () => {
    expect(sets).toEqual([
      { labels: ['read'], policies: 2 },
      { labels: ['read', 'write'], policies: 1 },
      { labels: [], policies: 2 },
    ]);
    expect(labelsOfSets(sets)).toEqual(['read', 'write']);
  });

  it.each([
    [null, 5],
    [[], 0],
    [['read'], 3],
    [['write'], 1],
    [['unused'], 0],
  ])('says that %j opens %i of 5 policies', (labels, open) => {
    expect(countOpen(sets, labels)).toEqual({ open, all: 5 });
  });

  it('counts what both the key and the plan of its customer open', () => {
    expect(countOpen(sets, null, ['write'])).toEqual({ open: 1, all: 5 });
    expect(countOpen(sets, ['read'], [])).toEqual({ open: 0, all: 5 });
  });

  it('names one policy as one', () => {
    expect(mayCall({ open: 7, all: 12 })).toBe('May call 7 of 12 policies');
    expect(mayCall({ open: 1, all: 1 })).toBe('May call 1 of 1 policy');
  });
});
