import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@ceiba/devstack/ports';
import { unprivilegedUser } from '@ceiba/devstack/postgres-user';
import { randomSecret } from '@ceiba/devstack/secrets';
import { createSupervisor, type Supervisor, temporaryFolder } from '@ceiba/devstack/supervisor';
import { isOk } from './runtime.ts';
import { until } from './until.ts';

/** Two PostgreSQL servers under Patroni, with synchronous replication, and their etcd. */
export interface PatroniCluster {
  /** The URL that lists both servers. */
  urlOf(database: string): string;
  /** The URL of the current primary. */
  primaryUrl(): Promise<string>;
  /** Asks Patroni for a switchover, and returns once the other server is the leader. */
  switchOver(): Promise<void>;
  /** Kills the primary with SIGKILL, and returns once the other server is the leader. */
  killPrimary(): Promise<void>;
  /** Resolves when the standby streams and commits wait for it, so that it may be promoted. */
  inSync(): Promise<void>;
  dispose(): Promise<void>;
}

const SERVER_PROGRAMS = '/usr/lib/postgresql/15/bin';
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;

/** Whether this machine has Debian's Patroni, etcd and PostgreSQL. */
export const hasPatroni = existsSync(SERVER_PROGRAMS) && ['patroni', 'etcd'].every(isThere);

const USER = 'ceiba';
const CHANGES_WITHIN_MS = 60_000;

interface Member {
  name: string;
  port: number;
  /** The port of Patroni's HTTP interface. */
  api: string;
  dataFolder: string;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const dataDir = temporaryFolder('ceiba-patroni-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (owner !== undefined) chmodSync(dataDir, 0o755);
  const password = randomSecret();
  const etcd = await startEtcd(supervisor);
  const members: Member[] = [];
  for (const name of ['one', 'two']) {
    const member = await startMember(supervisor, { name, etcd, password, owner });
    members.push(member);
    await until(`${name} runs`, () => isRunning(member), CHANGES_WITHIN_MS);
  }
  const urlFor = (host: string, database: string) =>
    `postgres://${USER}:${password}@${host}/${database}`;
  const leader = async () => {
    const roles = await Promise.all(members.map(isLeader));
    const found = members.filter((_, index) => roles[index]);
    if (found.length !== 1 || found[0] === undefined) throw new Error('no single leader');
    return found[0];
  };
  const followed = async (former: Member) =>
    until(
      'the other server is the leader',
      async () => (await leader()) !== former,
      CHANGES_WITHIN_MS,
    );
  const cluster: PatroniCluster = {
    urlOf: (database) => urlFor(members.map(({ port }) => `127.0.0.1:${port}`).join(','), database),
    primaryUrl: async () => urlFor(`127.0.0.1:${(await leader()).port}`, 'postgres'),
    async switchOver() {
      const former = await leader();
      const candidate = members.find((member) => member !== former)?.name;
      const body = JSON.stringify({ leader: former.name, candidate });
      const reply = await fetch(`${former.api}/switchover`, { method: 'POST', body });
      if (!reply.ok) throw new Error(`Patroni refused: ${await reply.text()}`);
      await followed(former);
    },
    async killPrimary() {
      const former = await leader();
      const [pid] = readFileSync(join(former.dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await followed(former);
    },
    inSync: () =>
      until(
        'the standby is synchronous',
        async () => {
          const former = await leader();
          const reply = await fetch(`${former.api}/cluster`);
          const { members: known } = (await reply.json()) as { members: { role: string }[] };
          return known.some(({ role }) => role === 'sync_standby');
        },
        CHANGES_WITHIN_MS,
      ),
    dispose: () => supervisor.stop(),
  };
  await cluster.inSync();
  return cluster;
}

const isLeader = ({ api }: Member) => isOk(`${api}/primary`);
const isRunning = ({ api }: Member) => isOk(`${api}/health`);

/** @returns the URL for clients */
async function startEtcd(supervisor: Supervisor): Promise<string> {
  const [clients, peers] = [await freePort(), await freePort()];
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  await supervisor.spawn({
    name: 'etcd',
    stage: 0,
    command: 'etcd',
    args: [
      ...['--data-dir', join(supervisor.dataDir, 'etcd'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `default=${peerUrl}`],
    ],
  });
  await until('etcd answers', () => isOk(`${clientUrl}/health`));
  return `127.0.0.1:${clients}`;
}

interface MemberOptions {
  name: string;
  etcd: string;
  password: string;
  owner: { uid: number; gid: number } | undefined;
}

async function startMember(
  supervisor: Supervisor,
  { name, etcd, password, owner }: MemberOptions,
): Promise<Member> {
  const folder = join(supervisor.dataDir, name);
  mkdirSync(folder, { mode: 0o700 });
  const [port, apiPort] = [await freePort(), await freePort()];
  const dataFolder = join(folder, 'data');
  const account = { username: USER, password };
  const settings = {
    scope: 'ceiba',
    name,
    etcd3: { host: etcd },
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        // Do not wait for a crashed primary.
        master_start_timeout: 0,
        primary_start_timeout: 0,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: dataFolder,
      bin_dir: SERVER_PROGRAMS,
      pgpass: join(folder, 'pgpass'),
      authentication: { superuser: account, replication: account, rewind: account },
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
      ],
    },
  };
  const file = join(folder, 'patroni.json');
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(settings));
  if (owner !== undefined) {
    for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid);
  }
  await supervisor.spawn({
    name: `Patroni ${name}`,
    stage: 1,
    command: 'patroni',
    args: [file],
    graceMs: 20_000,
    cwd: folder,
    ...owner,
  });
  return { name, port, api: `http://127.0.0.1:${apiPort}`, dataFolder };
}
