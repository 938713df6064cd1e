import { expect, it } from 'vitest';
import { curlExample } from './curl-example.ts';

it.each([
  ['/v1/a;b<c', "'http://localhost:4100/v1/a;b<c'"],
  ["/v1/it's", String.raw`'http://localhost:4100/v1/it'\''s'`],
])('gives the shell %s as one word', (path, word) => {
  expect(curlExample('key', { method: 'GET', path })).toBe(
    `curl -H 'x-api-key: key' \\\n  ${word}\n`,
  );
});

it('names a method that is not GET', () => {
  expect(curlExample('key', { method: 'POST', path: '/' })).toContain('curl -X POST -H ');
});
