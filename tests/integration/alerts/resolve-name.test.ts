import { parseNetworks } from '@ceiba/alerts/networks';
import { postWebhook } from '@ceiba/alerts/post-webhook';
import { resolveName } from '@ceiba/alerts/resolve-name';
import { afterEach, describe, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const servers: NameServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const start = async (address: string | null) => {
  const server = await startNameServer(address);
  servers.push(server);
  return server;
};
const options = (server: NameServer, isPrivateAllowed = false) => ({
  isPrivateAllowed,
  servers: [server.address],
  signal: new AbortController().signal,
});

describe('the name of a webhook', () => {
  it('is asked of a name server', async () => {
    const server = await start('192.0.2.1');
    expect(await resolveName('hooks.example.com', options(server))).toEqual([
      { address: '192.0.2.1', family: 4 },
    ]);
    expect(server.asked()).toBe(2);
  });

  it('that is never answered is given up when the attempt ends', async () => {
    const server = await start(null);
    const attempt = new AbortController();
    const pending = resolveName('slow.example.com', {
      ...options(server),
      signal: attempt.signal,
    });
    await until('it is asked', () => server.asked() > 0);
    attempt.abort();
    await expect(pending).rejects.toMatchObject({ code: 'ECANCELLED' });
  });

  it('is looked for in the local network only if private networks are allowed', async () => {
    const receiver = await startWebhookReceiver();
    try {
      const post = (networks: string | null) =>
        postWebhook(
          { url: `http://localhost:${receiver.port}/`, headers: {}, body: '{}' },
          {
            allowedNetworks: networks === null ? [] : (parseNetworks(networks) ?? []),
            timeoutMs: 60_000,
            resolve: async (name, asked) => {
              const server = await start('');
              return resolveName(name, { ...asked, servers: [server.address] });
            },
          },
        );
      expect(await post('127.0.0.0/8')).toBe(204);
      await expect(post(null)).rejects.toThrow('could not be resolved');
      const unasked = resolveName('localhost', options(await start('')));
      await expect(unasked).rejects.toMatchObject({ code: 'ENODATA' });
      expect(receiver.received).toHaveLength(1);
    } finally {
      await receiver.close();
    }
  });
});
