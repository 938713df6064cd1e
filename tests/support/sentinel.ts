import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ceiba/devstack/ports';
import { Redis } from 'ioredis';
import { type RedisServer, realRedis, startRedisServer } from './redis.ts';
import { until } from './until.ts';

/** A primary, a replica and three sentinels for one test to inject faults into. */
export interface SentinelGroup {
  /** The `REDIS_URL` of the group. */
  readonly url: string;
  readonly servers: readonly [RedisServer, RedisServer];
  /** The server that a majority of the sentinels names. */
  primary(): Promise<RedisServer>;
  /** Starts a failover, as an operator does. */
  failOver(): Promise<void>;
  /** Resolves once there is one primary with a replica in sync, and all sentinels know both. */
  isWhole(): Promise<void>;
  dispose(): Promise<void>;
}

export const PRIMARY_NAME = 'ceiba';
/** The password of the sentinels; the servers have none. */
export const SENTINEL_PASSWORD = 'sentinels only';
/** How long a primary is silent before a sentinel considers it down. */
const DOWN_AFTER_MS = 1000;
const MAJORITY = 2;

export async function startSentinelGroup(): Promise<SentinelGroup> {
  const primary = await startRedisServer(['--appendonly', 'yes']);
  const replica = await startRedisServer(['--appendonly', 'yes']);
  await replica.admin.replicaof('127.0.0.1', primary.port);
  await replica.inSyncWithPrimary();
  const servers = [primary, replica] as const;
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(primary.port)));

  const named = async () => {
    const ports = await Promise.all(
      sentinels.map(async ({ admin }) => {
        const reply = await admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME);
        return Array.isArray(reply) ? Number(reply[1]) : 0;
      }),
    );
    return servers.find(({ port }) => ports.filter((it) => it === port).length >= MAJORITY);
  };
  const isWhole = () =>
    until(
      'one is the primary, the other its replica, and the sentinels know',
      async () => {
        const current = await named();
        const other = servers.find((server) => server !== current);
        if (!current || !other) return false;
        const info = await other.admin.info('replication');
        const isReplica = /^master_link_status:up/m.test(info);
        const facts = await Promise.all(sentinels.map(({ admin }) => factsOf(admin)));
        return (
          isReplica &&
          facts.every(
            (it) =>
              it.flags === 'master' &&
              it['num-other-sentinels'] === '2' &&
              it['num-slaves'] === '1' &&
              it.port === `${current.port}`,
          )
        );
      },
      60_000,
    );
  await isWhole();
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${PRIMARY_NAME}`,
    servers,
    async primary() {
      const current = await named();
      if (!current) throw new Error('the sentinels do not agree');
      return current;
    },
    failOver: async () => {
      await sentinels[0]?.admin.call('SENTINEL', 'FAILOVER', PRIMARY_NAME);
    },
    isWhole,
    async dispose() {
      await Promise.all(sentinels.map((sentinel) => sentinel.dispose()));
      await Promise.all(servers.map((server) => server.dispose()));
    },
  };
}

/** A sentinel that has missed a failover: it names the server on this port, by epoch 0. */
export async function startOutdatedSentinel(port: number) {
  const replies: Record<string, string> = {
    auth: '+OK\r\n',
    MASTER: arrayOf('config-epoch', '0'),
    'GET-MASTER-ADDR-BY-NAME': arrayOf('127.0.0.1', `${port}`),
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (commands) => {
      const names = `${commands}`.match(/^(auth|MASTER|GET-MASTER-ADDR-BY-NAME)(?=\r)/gm) ?? [];
      for (const name of names) socket.write(replies[name] ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = server.address() as AddressInfo;
  return { place: `127.0.0.1:${ownPort}`, close: () => server.close() };
}

/** An array in Redis's protocol. */
const arrayOf = (...texts: string[]) =>
  `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;

async function factsOf(sentinel: Redis): Promise<Record<string, string>> {
  const reply = await sentinel.call('SENTINEL', 'MASTER', PRIMARY_NAME);
  const texts = Array.isArray(reply) ? reply.map(String) : [];
  return Object.fromEntries(
    texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : [])),
  );
}

async function startSentinel(primaryPort: number) {
  if (realRedis === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primaryPort} ${MAJORITY}`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY_NAME} 6000`,
      `requirepass "${SENTINEL_PASSWORD}"`,
      `sentinel sentinel-pass "${SENTINEL_PASSWORD}"`,
      '',
    ].join('\n'),
  );
  const program: ChildProcess = spawn(realRedis, [file, '--sentinel'], { stdio: 'ignore' });
  const endWithTests = () => program.kill('SIGKILL');
  process.on('exit', endWithTests);
  const admin = new Redis({
    port,
    password: SENTINEL_PASSWORD,
    enableReadyCheck: false,
    retryStrategy: () => 20,
  });
  admin.on('error', () => {});
  await until('the sentinel answers', async () => (await admin.ping()) === 'PONG');
  return {
    port,
    admin,
    async dispose() {
      admin.disconnect();
      const exited = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGKILL');
      await exited;
      process.off('exit', endWithTests);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
