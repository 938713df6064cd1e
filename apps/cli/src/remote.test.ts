import { listProjects, rotateSecret } from '@ceiba/manage';
import { afterEach, expect, test, vi } from 'vitest';
import { MAYBE_CHANGED, withRemedy } from './errors.ts';
import { remotely } from './remote.ts';

afterEach(() => vi.unstubAllGlobals());

const projectId = '7b0e3c52-6d0f-4d8e-9a57-0c6f1f7a2b11';
const perform = remotely({ url: 'https://console.example', source: '--server', token: 'a' });
const rotate = () => withRemedy(perform(rotateSecret, { projectId }), 'the secret is lost.');
const LOST = `${MAYBE_CHANGED} If it was made, the secret is lost.`;

const failing = (code: string) =>
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  });

test('a change that was sent and not answered may have been made, and its secret is lost', async () => {
  failing('UND_ERR_SOCKET');
  await expect(rotate()).rejects.toThrow(LOST);
  vi.stubGlobal('fetch', async () => new Response('<html>', { status: 504 }));
  await expect(rotate()).rejects.toThrow(LOST);
});

test('a read, and a change that was not sent, have not changed anything', async () => {
  failing('UND_ERR_SOCKET');
  await expect(perform(listProjects, {})).rejects.not.toThrow(MAYBE_CHANGED);
  failing('ECONNREFUSED');
  await expect(rotate()).rejects.not.toThrow(MAYBE_CHANGED);
});
