import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { postgresHome } from '@ceiba/devstack/postgres-user';
import { createSupervisor, temporaryFolder } from '@ceiba/devstack/supervisor';
import { until } from './until.ts';

const PROGRAMS = '/usr/lib/postgresql/15';

/** The folder of `pg_dump` and the other programs that the embedded PostgreSQL lacks. */
export const postgresPrograms = join(PROGRAMS, 'bin');

/** Whether this machine has Debian's PostgreSQL 15, the oldest that Ceiba works with. */
export const hasDebianPostgres = existsSync(join(postgresPrograms, 'pg_dump'));

export interface DebianPostgres {
  readonly url: string;
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Starts a PostgreSQL 15 on a new cluster, or on one that `prepare` puts into the folder that it is
 * given.
 */
export async function startDebianPostgres(
  prepare?: (dataFolder: string) => void,
): Promise<DebianPostgres> {
  const dataDir = temporaryFolder('ceiba-debian-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const port = await freePort();
  const data = join(dataDir, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  prepare?.(data);
  const home = postgresHome({ programs: PROGRAMS, dataDir });
  if (prepare === undefined) {
    const options = ['-D', home.data, '--username=ceiba', '--auth=trust', '--encoding=UTF8'];
    const initdb = home.command('initdb', [...options, '--locale=C', '--no-sync']);
    await supervisor.run({ ...initdb, name: 'initdb', failure: 'initdb of PostgreSQL 15' });
  }
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
  ];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const url = `postgres://ceiba@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const service = await supervisor.spawn({
      name: 'PostgreSQL 15',
      stage: 0,
      signal: 'SIGINT',
      ...home.command('postgres', ['-D', home.data, '-p', `${port}`, ...options]),
    });
    await until(
      'PostgreSQL 15 answers as a primary',
      () =>
        withConnection(url, async (sql) => {
          const [row] = await sql`select pg_is_in_recovery() as recovers`;
          return row?.recovers === false;
        }),
      30_000,
    );
    return service;
  };
  let service = await start();
  return {
    url,
    async restart() {
      await service.stop();
      service = await start();
    },
    dispose: () => supervisor.stop(),
  };
}
