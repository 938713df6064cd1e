import { expect, it } from 'vitest';
import { curlExample } from './curl-example.ts';

it.each([
  ['/v1/a;b<c', "'http://localhost:4200/v1/a;b<c'"],
  ["/v1/it's", String.raw`'http://localhost:4200/v1/it'\''s'`],
])('quotes %s as one word of the shell', (path, word) => {
  expect(curlExample('key', { method: 'GET', path })).toBe(
    `curl -H 'x-api-key: key' \\\n  ${word}\n`,
  );
});

it('passes a method other than GET with -X', () => {
  expect(curlExample('key', { method: 'POST', path: '/' })).toContain('curl -X POST -H ');
});
