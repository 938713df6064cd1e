import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ceiba/devstack/ports';
import { createLogger } from '@ceiba/process/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../apps/runtime/src/env.ts';
import { Metrics } from '../../../apps/runtime/src/metrics/metrics.ts';
import { openRedis } from '../../../apps/runtime/src/redis/open.ts';
import { UnavailableError } from '../../../apps/runtime/src/unavailable.ts';
import {
  admittedOf,
  type Call,
  callOf,
  chargeTimes,
  countAdmitted,
  startRuntime,
} from '../../integration/limiter/support/runtime.ts';
import { createMemoryStore } from '../../integration/limiter/support/store.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

async function startNode(): Promise<RedisServer> {
  return startRedisServer([
    ...['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`],
    ...['--cluster-announce-ip', '127.0.0.1', '--cluster-require-full-coverage', 'no'],
    ...['--cluster-node-timeout', '15000', '--enable-protected-configs', 'yes'],
  ]);
}

const POLL = { timeout: 15_000, interval: 50 };

const busPortOf = async (node: RedisServer) =>
  Number(/@(\d+)/.exec(String(await node.admin.cluster('NODES')))?.[1]);

/** A node drops the keys of a slot that it no longer owns, and refuses to give one away with keys. */
async function emptySlot(node: RedisServer, slot: string): Promise<void> {
  const keys = (await node.admin.cluster('GETKEYSINSLOT', Number(slot), 100)) as string[];
  for (const key of keys) await node.admin.del(key);
}

/** Two primaries, each with half of the slots. */
async function startCluster(): Promise<[RedisServer, RedisServer]> {
  const [first, second] = [await startNode(), await startNode()];
  await first.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
  await second.admin.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
  await second.admin.call('CLUSTER', 'SET-CONFIG-EPOCH', '2');
  const bus = `${await busPortOf(second)}`;
  await first.admin.call('CLUSTER', 'MEET', '127.0.0.1', `${second.port}`, bus);
  for (const node of [first, second]) {
    await until('both nodes know the whole cluster', async () => {
      const info = String(await node.admin.cluster('INFO'));
      return /cluster_state:ok/.test(info) && /cluster_slots_assigned:16384/.test(info);
    });
  }
  return [first, second];
}

describe.skipIf(realRedis === undefined)('a Redis Cluster (real Redis)', () => {
  let nodes: [RedisServer, RedisServer];
  beforeAll(async () => {
    nodes = await startCluster();
  });
  afterAll(() => Promise.all(nodes.map((node) => node.dispose())));
  const start = ({ store = createMemoryStore(), url = nodes[0].url, redisBudgetMs = 5000 } = {}) =>
    startRuntime({ url, cluster: true, store, redisBudgetMs });

  /** A call whose project lies on one of the nodes. */
  async function callOn(
    node: RedisServer,
    limits: Parameters<typeof callOf>[0] = {},
  ): Promise<Call> {
    for (;;) {
      const call = callOf(limits);
      const slot = Number(await node.admin.cluster('KEYSLOT', `{${call.projectId}}`));
      if (slot < 8192 === (node === nodes[0])) return call;
    }
  }

  it('allows exactly the limit on every node, through two Runtimes at once', async () => {
    const [first, second] = [await start(), await start()];
    for (const node of nodes) {
      const call = await callOn(node, { rateLimitPerMinute: 1000, monthlyQuota: 20 });
      const charges = await Promise.all([
        chargeTimes(first, call, 100),
        chargeTimes(second, call, 100),
      ]);
      expect(countAdmitted(charges.flat())).toBe(20);
    }
  });

  it('authenticates at every node with the password of the address', async () => {
    const password = 'p@ss/word 1';
    const setPassword = (value: string) =>
      Promise.all(nodes.map((node) => node.admin.config('SET', 'requirepass', value)));
    await setPassword(password);
    try {
      const runtime = await start({
        url: nodes[0].url.replace('://', `://:${encodeURIComponent(password)}@`),
      });
      for (const node of nodes) {
        expect(await runtime.charge(await callOn(node))).toMatchObject({ kind: 'allowed' });
      }
    } finally {
      await setPassword('');
    }
  });

  it('serves the projects of the other node while one node is frozen, and recovers', async () => {
    const runtime = await start({ redisBudgetMs: 200 });
    const [healthy, frozen] = [await callOn(nodes[0]), await callOn(nodes[1])];
    await Promise.all([runtime.charge(healthy), runtime.charge(frozen)]);
    nodes[1].freeze();
    try {
      for (let round = 0; round < 10; round++) {
        const [stranger, victim] = await Promise.allSettled([
          runtime.charge(healthy, 500),
          runtime.charge(frozen, 500),
        ]);
        expect(stranger.status).toBe('fulfilled');
        expect(victim).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
      }
      await expect(runtime.link.ping(300)).rejects.toBeInstanceOf(UnavailableError);
    } finally {
      nodes[1].thaw();
    }
    await until(
      'the thawed node charges',
      async () => {
        const charge = await runtime.charge(frozen);
        return charge.kind === 'allowed';
      },
      5000,
    );
    // One before the freeze, and those since the thaw; at most a handful of the ten in between.
    const counted = await nodes[1].admin.get(`ceiba:{${frozen.projectId}}:counter:project`);
    expect(Number(counted?.split(':').at(-1))).toBeLessThanOrEqual(2 + 5);
  });

  it('serves the projects of the other node while one node rejects writes because of its disk', async () => {
    const runtime = await start({ redisBudgetMs: 200 });
    const [healthy, broken] = [await callOn(nodes[0]), await callOn(nodes[1])];
    await Promise.all([runtime.charge(healthy), runtime.charge(broken)]);
    const folder = mkdtempSync(join(tmpdir(), 'ceiba-disk-'));
    await nodes[1].admin.config('SET', 'dir', folder);
    rmSync(folder, { recursive: true });
    await nodes[1].admin.config('SET', 'save', '3600 1');
    await nodes[1].admin.bgsave();
    await until('the snapshot failed', async () =>
      /^rdb_last_bgsave_status:err/m.test(await nodes[1].admin.info('persistence')),
    );
    try {
      for (let round = 0; round < 50; round++) {
        const [stranger, victim] = await Promise.allSettled([
          runtime.charge(healthy, 500),
          runtime.charge(broken, 500),
        ]);
        expect(stranger).toMatchObject({ status: 'fulfilled' });
        expect(victim).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
      }
    } finally {
      await nodes[1].admin.config('SET', 'dir', nodes[1].folder);
      await nodes[1].admin.config('SET', 'save', '');
      await nodes[1].admin.bgsave();
    }
    await until(
      'the node charges again',
      async () => (await runtime.charge(broken)).kind === 'allowed',
      5000,
    );
  });

  it('asks the new node only for the slot that moved, not for the rest of its range', async () => {
    const runtime = await start();
    const stranger = await callOn(nodes[0]);
    await runtime.charge(stranger);
    const [source, target] = nodes;
    await target.admin.config('RESETSTAT');
    const targetId = String(await target.admin.cluster('MYID'));
    const sourceId = String(await source.admin.cluster('MYID'));
    const moved: string[] = [];
    try {
      for (let round = 0; round < 5; round++) {
        const call = await callOn(source);
        const slot = String(await source.admin.cluster('KEYSLOT', `{${call.projectId}}`));
        for (const node of [target, source]) {
          await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
        }
        moved.push(slot);
        expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
        // The map of slots is being read again now; until then the answer MOVED is all that is known.
        const strangers = await chargeTimes(runtime, stranger, 20);
        expect(countAdmitted(strangers)).toBe(20);
      }
      const errors = String(await target.admin.info('errorstats'));
      expect(errors).not.toContain('errorstat_MOVED');
    } finally {
      for (const slot of moved) {
        for (const node of [target, source]) {
          await emptySlot(node, slot);
        }
        for (const node of [source, target]) {
          await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', sourceId);
        }
      }
    }
  });

  it('follows a slot that moves, and charges nothing while its keys are apart', async () => {
    const runtime = await start();
    const [source, target] = nodes;
    const call = await callOn(source, { monthlyQuota: 3 });
    expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
    const slot = String(await source.admin.cluster('KEYSLOT', `{${call.projectId}}`));
    const [sourceId, targetId] = [
      String(await source.admin.cluster('MYID')),
      String(await target.admin.cluster('MYID')),
    ];
    const keys = (await source.admin.cluster('GETKEYSINSLOT', Number(slot), 9)) as string[];
    const move = (key = '') =>
      source.admin.call('MIGRATE', '127.0.0.1', `${target.port}`, key, '0', '5000');
    const give = async (owner: RedisServer) => {
      const id = String(await owner.admin.cluster('MYID'));
      for (const node of [target, source]) {
        await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
      }
    };
    try {
      await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
      await source.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
      await move(keys[0]);
      await source.admin.config('RESETSTAT');
      const apart = Array.from({ length: 3 }, () => runtime.charge(call));
      for (const outcome of await Promise.allSettled(apart)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
      }
      const errors = String(await source.admin.info('errorstats'));
      const [, refused] = /errorstat_TRYAGAIN:count=(\d+)/.exec(errors) ?? [];
      // The one call that the three share, and the attempts after it.
      expect(Number(refused)).toBeGreaterThan(1);

      for (const key of keys.slice(1)) await move(key);
      expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
      expect(String(await source.admin.info('errorstats'))).toContain('errorstat_ASK');
      await give(target);
      expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
      expect(await runtime.charge(call)).toMatchObject({ denialReason: 'quota_exceeded' });
    } finally {
      await give(target);
      for (const node of [target, source]) await emptySlot(node, slot);
      await give(source);
    }
  });

  it('asks once for a slot that no node serves, and charges nothing', async () => {
    const runtime = await start();
    const [node] = nodes;
    const call = await callOn(node, { monthlyQuota: 2 });
    expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
    const slot = String(await node.admin.cluster('KEYSLOT', `{${call.projectId}}`));
    const nodeId = String(await node.admin.cluster('MYID'));
    await node.admin.config('RESETSTAT');
    await node.admin.call('CLUSTER', 'DELSLOTS', slot);
    try {
      await expect(runtime.charge(call)).rejects.toBeInstanceOf(UnavailableError);
      const errors = String(await node.admin.info('errorstats'));
      expect(errors).toContain('errorstat_CLUSTERDOWN:count=1');
    } finally {
      await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', nodeId);
    }
    expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
    expect(await runtime.charge(call)).toMatchObject({ denialReason: 'quota_exceeded' });
  });

  it('sends nothing to a frozen node from the first timeout until it has answered', async () => {
    const runtime = await start({ redisBudgetMs: 200 });
    const call = await callOn(nodes[1]);
    await runtime.charge(call);
    const admin = nodes[1].admin.duplicate();
    await admin.config('RESETSTAT');
    nodes[1].freeze();
    const BURST = 20;
    const WAVES = 10;
    try {
      for (let wave = 0; wave < WAVES; wave++) {
        const burst = Array.from({ length: BURST }, () => runtime.charge(call, 500));
        for (const outcome of await Promise.allSettled(burst)) {
          expect(outcome.status).toBe('rejected');
        }
        await pause(10);
      }
    } finally {
      nodes[1].thaw();
    }
    // The rounds of the thawed server in which it reads what lies in its sockets.
    for (let round = 0; round < 10; round++) await admin.ping();
    const stats = await admin.info('commandstats');
    admin.disconnect();
    const arrived = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
    const charges = arrived.reduce((total, [, calls]) => total + Number(calls), 0);
    // Those under way at the first timeout, and the one that waits for the fresh connection.
    expect(charges).toBeLessThanOrEqual(BURST + 1);
    await until(
      'the thawed node charges',
      async () => (await runtime.charge(call)).kind === 'allowed',
      5000,
    );
  });

  it('resumes from Postgres after a node was killed and came back empty', async () => {
    const store = createMemoryStore();
    const runtime = await start({ store });
    const call = await callOn(nodes[1], { monthlyQuota: 5 });
    expect(await admittedOf(runtime, call, 3)).toBe(3);
    await runtime.flush();
    await nodes[1].kill();
    await expect(runtime.charge(call, 500)).rejects.toBeInstanceOf(UnavailableError);
    await nodes[1].start();
    const fresh = await start({ store });
    await until(
      'the node charges again',
      async () => (await fresh.charge(call)).kind === 'allowed',
    );
    expect(await admittedOf(fresh, call, 9)).toBe(1);
    await until(
      'the first Runtime recovers too',
      async () => {
        const charge = await runtime.charge(call);
        return charge.kind === 'denied';
      },
      5000,
    );
  });

  it('starts while the first node that the address names is gone', async () => {
    const call = await callOn(nodes[0]);
    const url = `redis://127.0.0.1:${await freePort()},127.0.0.1:${nodes[0].port}`;
    const runtime = await start({ url });
    expect(await runtime.charge(call)).toMatchObject({ kind: 'allowed' });
  });

  it('sweeps the usage that a dead Runtime left on any node', async () => {
    const store = createMemoryStore();
    const dead = await start();
    const calls = [await callOn(nodes[0]), await callOn(nodes[1])];
    for (const call of calls) await chargeTimes(dead, call, 3);
    dead.die();
    const living = await start({ store });
    await living.sweep();
    for (const { projectId } of calls) {
      expect(store.decisions(projectId, 'allowed')).toBe(3);
      expect(store.admissions(projectId, 'project')).toBe(3);
    }
  });

  it('sweeps the other nodes while one node fails, and logs once which one', async () => {
    const dead = await start();
    const [failing, healthy] = [await callOn(nodes[0]), await callOn(nodes[1])];
    for (const call of [failing, healthy]) await chargeTimes(dead, call, 3);
    dead.die();
    const store = createMemoryStore();
    const living = await start({ store });
    await nodes[0].admin.call('ACL', 'SETUSER', 'default', '-scan');
    try {
      const warned = await living.sweep();
      expect(store.decisions(failing.projectId, 'allowed')).toBe(0);
      expect(store.decisions(healthy.projectId, 'allowed')).toBe(3);
      expect(warned).toHaveLength(1);
      const [[{ err }]] = warned as [[{ err: Error }]];
      expect(err.message).toContain(`127.0.0.1:${nodes[0].port}: NOPERM`);
      expect(err.message).toContain('allow the Redis user SCAN');
    } finally {
      await nodes[0].admin.call('ACL', 'SETUSER', 'default', '+scan');
    }
    await living.sweep();
    expect(store.decisions(failing.projectId, 'allowed')).toBe(3);
  });

  it('is not ready while a charge fails on any of its nodes, and keeps nothing of the rehearsal', async () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://unused',
      REDIS_URL: nodes[0].url,
      REDIS_CLUSTER: 'true',
    });
    for (const node of nodes) {
      const log = createLogger({ service: 'test', level: 'silent' });
      const redis = openRedis(settings, new Metrics(), log);
      const change = () => redis.check().then(() => null, String);
      try {
        await node.admin.config('SET', 'maxmemory', '1');
        await expect.poll(change, POLL).toContain('the memory of Redis is full: raise maxmemory');
        await node.admin.config('SET', 'maxmemory', '0');
        await expect.poll(change, POLL).toBeNull();
        const rehearsed = await node.admin.keys('ceiba:{?}:*');
        expect(rehearsed).toEqual([expect.stringMatching(/^ceiba:\{\d\}:counter:project$/)]);
        expect(await node.admin.ttl(rehearsed[0] ?? '')).toBeGreaterThan(0);
      } finally {
        await node.admin.config('SET', 'maxmemory', '0');
        redis.close();
      }
    }
  });

  it('names the node that makes a Runtime not ready', async () => {
    const runtime = await start();
    nodes[1].freeze();
    try {
      await expect(runtime.link.ping(300)).rejects.toThrow(`127.0.0.1:${nodes[1].port}: no reply`);
    } finally {
      nodes[1].thaw();
    }
  });
});
