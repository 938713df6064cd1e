import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EpochProbe } from '../../../apps/runtime/src/redis/epoch-probe.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { type RedisProxy, startRedisProxy, withoutEpoch } from '../../support/redis-proxy.ts';
import { until } from '../../support/until.ts';
import { callOf, startRuntime } from './support/runtime.ts';
import { createMemoryStore } from './support/store.ts';

describe.skipIf(realRedis === undefined)('a Runtime that starts (real Redis)', () => {
  let servers: RedisServer[];
  const proxies: RedisProxy[] = [];
  const probes: EpochProbe[] = [];
  beforeEach(async () => {
    servers = [await startRedisServer(), await startRedisServer()];
  });
  afterEach(async () => {
    for (const probe of probes.splice(0)) probe.close();
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await Promise.all(servers.map((server) => server.dispose()));
  });

  async function startProxy(...args: Parameters<typeof startRedisProxy>): Promise<RedisProxy> {
    const proxy = await startRedisProxy(...args);
    proxies.push(proxy);
    return proxy;
  }

  function startProbe(url: string) {
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const probe = new EpochProbe({ url, cluster: false, log, retryMs: 50 });
    probes.push(probe);
    return { probe, log };
  }

  const ports = () => servers.map(({ port }) => port);

  it('does not charge two servers behind one address, logs it once, and goes on when there is one', async () => {
    const proxy = await startProxy(ports());
    const { probe, log } = startProbe(proxy.url);
    const runtime = await startRuntime({
      url: proxy.url,
      store: createMemoryStore(),
      problem: () => probe.problem,
    });
    await until('the probe complains', () => probe.problem !== null);
    await expect(runtime.charge(callOf({}))).rejects.toMatchObject({
      dependency: 'redis',
      message: expect.stringContaining('several servers'),
    });
    proxy.ports = ports().slice(0, 1);
    await until('the probe is content', () => probe.problem === null);
    expect(await runtime.charge(callOf({}))).toMatchObject({ kind: 'allowed' });
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(log.info).toHaveBeenCalledTimes(1);
  });

  it('warns about a server that does not report an epoch', async () => {
    const proxy = await startProxy(ports().slice(0, 1), withoutEpoch);
    const { probe, log } = startProbe(proxy.url);
    await until('the log has it', () => log.warn.mock.calls.length > 0);
    expect(log.warn.mock.calls[0]?.[0]).toContain('neither run_id nor master_replid');
    expect(probe.problem).toBeNull();
  });

  it('recognises a restart in the middle of the probe', async () => {
    const proxy = await startProxy(ports().slice(0, 1));
    await servers[0]?.kill();
    const { probe, log } = startProbe(proxy.url);
    await servers[0]?.start();
    const runtime = await startRuntime({
      url: proxy.url,
      store: createMemoryStore(),
      problem: () => probe.problem,
    });
    expect(await runtime.charge(callOf({}))).toMatchObject({ kind: 'allowed' });
    expect(log.error).not.toHaveBeenCalled();
  });

  it('charges as a user who may neither CONFIG nor ask for more than one section', async () => {
    await servers[0]?.admin.call(
      ...(['ACL', 'SETUSER', 'app', 'on', '>pass', '~*', '+@all', '-config', '-info'] as const),
      ...['server', 'replication'].map((section) => `+info|${section}`),
    );
    const url = `redis://app:pass@127.0.0.1:${servers[0]?.port}`;
    const runtime = await startRuntime({ url, store: createMemoryStore() });
    expect(await runtime.charge(callOf({}))).toMatchObject({ kind: 'allowed' });
  });
});
