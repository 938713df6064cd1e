import { describe, expect, it } from 'vitest';
import { opens, sortedLabels, whyNoLabels } from './labels.ts';

describe('a list of labels', () => {
  it('holds at most 64', () => {
    const labels = Array.from({ length: 65 }, (_, index) => `label-${index}`);
    expect(whyNoLabels(labels.slice(1))).toBeNull();
    expect(whyNoLabels(labels)).toBe('must be at most 64 labels');
  });

  it.each(['a', '0', 'reports:read', 'a.b_c-d:e', 'x'.repeat(64)])('may hold %j', (label) => {
    expect(whyNoLabels(['read', label])).toBeNull();
  });

  it.each(['', 'A', ' a', 'a ', 'a b', ':a', '-a', 'é', 'a\n', 'x'.repeat(65)])(
    'may not hold %j',
    (label) => {
      expect(whyNoLabels(['read', label])).toContain('must hold labels of 1 to 64 characters');
    },
  );

  it('is stored in order, each label once', () => {
    expect(sortedLabels(['b', 'a', 'b'])).toEqual(['a', 'b']);
    expect(sortedLabels([])).toEqual([]);
  });
});

it('a policy without labels is closed to every list', () => {
  expect(opens(['a'], { scopes: null })).toBe(false);
  expect(opens(['a'], { scopes: [] })).toBe(false);
  expect(opens(null, { scopes: null })).toBe(true);
});
