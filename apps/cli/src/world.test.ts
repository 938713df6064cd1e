import { expect, test } from 'vitest';
import { jsonText } from './world.ts';

test('JSON for a program is the same value, and controls no terminal', () => {
  const value = { name: 'a\u009b2J\u007f\u0085\nß' };
  for (const text of [jsonText(value), jsonText(value, 2)]) {
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(text).toContain('ß');
  }
});
