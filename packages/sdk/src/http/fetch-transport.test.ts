import { expect, it } from 'vitest';
import { createFetchTransport } from './fetch-transport.ts';

/** Answers from a cache by what a framework takes for the whole question: Next.js does so. */
function cachingFetch() {
  const cached = new Map<string, string>();
  return async (url: string, { method, headers, body }: RequestInit) => {
    const key = JSON.stringify([url, method, headers, body]);
    const text = cached.get(key) ?? String(cached.size + 1);
    cached.set(key, text);
    return new Response(text);
  };
}

it('asks again where a framework answers equal calls from a cache', async () => {
  const { send } = createFetchTransport('https://ceiba.test', { secret: 's' }, cachingFetch());
  const call = { path: '/', timeoutMs: 1_000, maxResponseBytes: 100, signal: undefined };
  const texts: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    texts.push((await send({ ...call, method: 'POST', body: '{}' })).text);
    texts.push((await send({ ...call, method: 'GET', body: undefined })).text);
  }
  expect(texts).toEqual(['1', '2', '3', '4']);
});
