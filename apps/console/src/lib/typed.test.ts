import { expect, it } from 'vitest';
import { typedMetadata } from './typed.ts';

it('metadata keeps every name, so that the verb refuses a wrong one instead of losing it', () => {
  const text = '{"__proto__": {"x": 1}, "a": 2}';
  expect(JSON.stringify(typedMetadata.parse(text))).toBe('{"__proto__":{"x":1},"a":2}');
});

it.each(['7', '[]', 'null', '{'])('metadata is an object: %s is refused', (text) => {
  expect(typedMetadata.safeParse(text).success).toBe(false);
});

it('metadata is empty for an empty field', () => {
  expect(typedMetadata.parse('')).toEqual({});
});
