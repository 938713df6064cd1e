import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { createSupervisor, temporaryFolder } from '@ceiba/devstack/supervisor';
import { until } from './until.ts';

export type PoolMode = 'session' | 'transaction';

/** A PgBouncer for one test, in front of one server. */
export interface PgBouncer {
  /** The URL of the same database through the pooler. */
  urlOf(databaseUrl: string): string;
  dispose(): Promise<void>;
}

/** Debian installs it in a folder that only root's PATH has. */
const PROGRAMS = ['pgbouncer', '/usr/sbin/pgbouncer'];

/** The PgBouncer of this machine; without it, tests that need it are reported as skipped. */
export const pgbouncer: string | undefined = PROGRAMS.find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** @param settings additional lines of `pgbouncer.ini` */
export async function startPgBouncer(
  serverUrl: string,
  mode: PoolMode,
  settings: readonly string[] = [],
): Promise<PgBouncer> {
  if (pgbouncer === undefined) throw new Error('there is no pgbouncer on this machine');
  const dataDir = temporaryFolder('ceiba-pgbouncer-');
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const users = join(dataDir, 'users.txt');
  const configuration = join(dataDir, 'pgbouncer.ini');
  writeFileSync(users, `"${username}" "${password}"\n`);
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    // In session mode each connection of a Runtime holds a server connection until it closes.
    `default_pool_size = ${mode === 'session' ? 60 : 5}`,
    ...settings,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  // PgBouncer refuses to run as root, and reads its files as the user that it switches to.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chmodSync(dataDir, 0o755);
  const service = await supervisor.spawn({
    name: 'PgBouncer',
    stage: 0,
    signal: 'SIGINT',
    command: pgbouncer,
    args: [...(isRoot ? ['--user', 'nobody'] : []), configuration],
  });
  const urlOf = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    return url.href;
  };
  await until('PgBouncer answers', async () => {
    if (!service.isRunning()) throw new Error(service.tail());
    return withConnection(urlOf(serverUrl), async (sql) => (await sql`select 1`).length === 1);
  });
  return { urlOf, dispose: () => supervisor.stop() };
}
