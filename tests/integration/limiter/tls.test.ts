/** `rediss://`: the servers prove the names of `REDIS_URL`, and the log says why one does not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@ceiba/devstack/ports';
import { temporaryFolder } from '@ceiba/devstack/supervisor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { runCeiba } from '../cli/support.ts';

let authority: CertificateAuthority;
let named: { cert: string; key: string };
let other: { cert: string; key: string };
let database: TestDatabase;
const disposals: (() => unknown)[] = [];
beforeAll(async () => {
  authority = createCertificateAuthority();
  named = authority.issue('named', ['DNS:localhost']);
  other = authority.issue('other', ['DNS:other.example']);
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const dispose of disposals.reverse()) await dispose();
  await database?.drop();
});

const tlsSettings = ({ cert, key }: { cert: string; key: string }, port: number) => [
  ...['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key],
  ...['--tls-ca-cert-file', authority.ca, '--tls-auth-clients', 'no'],
];

async function startTlsServer(
  certificate: { cert: string; key: string },
  settings: readonly string[] = [],
): Promise<{ server: RedisServer; port: number }> {
  const port = await freePort();
  const server = await startRedisServer([...tlsSettings(certificate, port), ...settings]);
  disposals.push(server.dispose);
  return { server, port };
}

/** A cluster of one node, which owns all slots. */
async function startTlsCluster(
  certificate: { cert: string; key: string },
  settings: readonly string[] = [],
): Promise<{ port: number }> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`];
  const announced = ['--cluster-announce-ip', '127.0.0.1', '--tls-cluster', 'yes'];
  const { server, port } = await startTlsServer(certificate, [
    ...cluster,
    ...announced,
    '--appendonly',
    'yes',
    ...settings,
  ]);
  await server.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  return { port };
}

async function runtimeOn(
  redisUrl: string,
  settings: Record<string, string>,
): Promise<RunningRuntime> {
  const runtime = await startRuntime({
    databaseUrl: database.url,
    redisUrl,
    settings: { NODE_EXTRA_CA_CERTS: authority.ca, ...settings },
    until: '/health',
  });
  disposals.push(runtime.stop);
  return runtime;
}

const redisOf = async ({ url }: RunningRuntime) => {
  const { checks } = (await (await fetch(`${url}/ready`)).json()) as { checks: { redis: string } };
  return checks.redis;
};
const isReady = (runtime: RunningRuntime) =>
  expect.poll(() => redisOf(runtime), { timeout: 10_000, interval: 50 }).toBe('ok');
const reasonOf = async (runtime: RunningRuntime): Promise<string> => {
  const line = () =>
    runtime
      .stdout()
      .split('\n')
      .find((text) => text.includes('"Redis is unavailable"'));
  await expect.poll(line, { timeout: 10_000 }).toBeDefined();
  expect(await redisOf(runtime)).toBe('unavailable');
  return JSON.parse(line() ?? '{}').err.message;
};

const CLUSTER = { REDIS_CLUSTER: 'true' };

describe.skipIf(realRedis === undefined)(
  'Redis over TLS, with certificates that carry names',
  () => {
    it('is ready as a cluster whose nodes are announced by their IP addresses', async () => {
      const { port } = await startTlsCluster(named);
      await isReady(await runtimeOn(`rediss://localhost:${port}`, CLUSTER));
    });

    it('is ready as a cluster whose nodes are announced by their names', async () => {
      const { port } = await startTlsCluster(named, [
        ...['--cluster-announce-hostname', 'localhost'],
        ...['--cluster-preferred-endpoint-type', 'hostname'],
      ]);
      await isReady(await runtimeOn(`rediss://localhost:${port}`, CLUSTER));
    });

    it('is ready as a single server', async () => {
      const { port } = await startTlsServer(named, ['--appendonly', 'yes']);
      await isReady(await runtimeOn(`rediss://localhost:${port}`, {}));
    });

    it('is ready behind sentinels that name the primary by its IP address', async () => {
      const { port } = await startTlsServer(named, ['--tls-replication', 'yes']);
      const sentinelPort = await freePort();
      const folder = temporaryFolder('ceiba-sentinel-');
      const configuration = join(folder, 'sentinel.conf');
      const lines = [
        'port 0',
        ...tlsSettings(named, sentinelPort)
          .join(' ')
          .split('--')
          .filter((line) => line !== ''),
        'tls-replication yes',
        `dir ${folder}`,
        `sentinel monitor ceiba 127.0.0.1 ${port} 1`,
      ];
      writeFileSync(configuration, `${lines.join('\n')}\n`);
      const sentinel = spawn(realRedis ?? '', [configuration, '--sentinel'], { stdio: 'ignore' });
      disposals.push(async () => {
        sentinel.kill('SIGKILL');
        await once(sentinel, 'exit');
      });
      await isReady(await runtimeOn(`rediss+sentinel://localhost:${sentinelPort}/ceiba`, {}));
    });

    it.each([
      ['a cluster', CLUSTER],
      ['a single server', {}],
    ])(
      'is refused as %s that proves another name, and the log has the reason',
      async (_, settings) => {
        const { port } =
          settings === CLUSTER ? await startTlsCluster(other) : await startTlsServer(other);
        const reason = await reasonOf(await runtimeOn(`rediss://localhost:${port}`, settings));
        expect(reason).toContain("does not match certificate's altnames");
        const ran = await runCeiba(['doctor', '--json'], {
          env: {
            ...settings,
            DATABASE_URL: database.url,
            REDIS_URL: `rediss://localhost:${port}`,
          },
        });
        const { checks } = JSON.parse(ran.stdout);
        expect(checks.find(({ name }: { name: string }) => name === 'redis').detail).toMatch(
          /certificate/,
        );
      },
    );

    it.each([
      ['a cluster', CLUSTER],
      ['a single server', {}],
    ])(
      'is refused as %s of an unknown authority, and the log has the reason',
      async (_, settings) => {
        const { port } =
          settings === CLUSTER ? await startTlsCluster(named) : await startTlsServer(named);
        const untrusted = { ...settings, NODE_EXTRA_CA_CERTS: '' };
        const reason = await reasonOf(await runtimeOn(`rediss://localhost:${port}`, untrusted));
        expect(reason).toMatch(/certificate/);
      },
    );
  },
);
