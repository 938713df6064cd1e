import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { execaSync } from 'execa';

import { LauncherError } from './errors.ts';
import type { ServiceSpec } from './supervisor.ts';

/** How to run the programs of PostgreSQL, which refuse to run as root. */
export interface PostgresHome {
  /** The folder that holds `bin`, `lib` and `share`. */
  programs: string;
  /** The data folder of the cluster. */
  data: string;
  command(
    program: 'initdb' | 'postgres',
    args: string[],
  ): Required<Pick<ServiceSpec, 'command' | 'args'>> & Pick<ServiceSpec, 'uid' | 'gid'>;
}

/**
 * Returns where PostgreSQL is and how to start it, for the user that runs the launcher.
 *
 * Users other than root run it in place. For root there are two ways. In a user namespace of its own
 * (`unshare -U`) it runs unprivileged while it keeps root's access to files, so nothing
 * moves and the folder may lie below a closed home such as `/root`. Where namespaces are refused,
 * as in most containers, it runs as an unprivileged system user; when that user cannot reach
 * the folders, programs and data live in `/var/lib/ceiba` instead.
 */
export function postgresHome({
  programs,
  dataDir,
}: {
  programs: string;
  dataDir: string;
}): PostgresHome {
  const link = join(dataDir, 'postgres');
  requireTarget(link);
  const data = existsSync(link) ? realpathSync(link) : link;
  if (process.getuid?.() !== 0) {
    return {
      programs,
      data,
      command: (program, args) => ({ command: join(programs, 'bin', program), args }),
    };
  }
  if (canUnshare()) {
    if (isLink(data)) rmSync(data);
    giveTo(data, { uid: 0, gid: 0 });
    return {
      programs,
      data,
      command: (program, args) => ({
        command: 'unshare',
        args: ['--user', join(programs, 'bin', program), ...args],
      }),
    };
  }
  const user = unprivilegedUser();
  const home = [programs, dataDir].every(isReachable) ? { programs, data } : moved(programs, link);
  giveTo(home.data, user);
  return {
    ...home,
    command: (program, args) => ({ command: join(home.programs, 'bin', program), args, ...user }),
  };
}

/** @returns Whether a new user namespace is allowed and hides root from the program. */
function canUnshare(): boolean {
  try {
    return execaSync('unshare', ['--user', 'id', '-u']).stdout !== '0';
  } catch {
    return false;
  }
}

/** @returns Of a user that is not root. */
export function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([entry]) => entry === name) ?? [];
    if (uid !== undefined && gid !== undefined)
      return { uid: Number(uid) | 0, gid: Number(gid) | 0 };
  }
  throw new LauncherError(
    'PostgreSQL does not run as root, and this system has no unprivileged user for it.',
    {
      hint: 'Run the command as another user, or set DATABASE_URL to a PostgreSQL of your own.',
    },
  );
}

/** @returns Whether other users may enter every folder of the path. */
function isReachable(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * @param link The cluster's path in the data folder. It becomes a link to the moved cluster;
 *   where the link is missing, the moved cluster is deleted like the data folder.
 */
function moved(programs: string, link: string) {
  const base = join('/var/lib/ceiba', createHash('sha256').update(link).digest('hex').slice(0, 12));
  // A data folder that was moved on this machine keeps the database that it has.
  const data = isLink(link) && existsSync(link) ? realpathSync(link) : join(base, 'postgres');
  const home = { programs: join(base, 'programs'), data };
  mkdirSync(base, { recursive: true });
  for (const folder of [dirname(base), base]) chmodSync(folder, 0o755);
  if (!isSameBuild(programs, home.programs)) replaceByCopy(home.programs, programs);
  if (!isLink(link)) {
    rmSync(home.data, { recursive: true, force: true });
    if (existsSync(link)) replaceByCopy(home.data, link);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(home.data, link);
  }
  return home;
}

/** A copy of the data folder may have only the link: a new cluster in its place would look like a loss. */
function requireTarget(link: string): void {
  if (!isLink(link)) return;
  const base = dirname(readlinkSync(link));
  if (existsSync(base)) return;
  throw new LauncherError(`The database of this data folder is not here: it was in ${base}.`, {
    hint: `Copy it to ${link}, or remove that link to begin with an empty database.`,
  });
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function replaceByCopy(target: string, source: string) {
  const draft = `${target}.copy`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(source, draft, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
}

function isSameBuild(one: string, other: string): boolean {
  const sizes = [one, other].map((folder) => {
    const program = join(folder, 'bin/postgres');
    return existsSync(program) ? statSync(program).size : -1;
  });
  return sizes[0] === sizes[1];
}

/**
 * Makes a user the owner of a folder and its contents, when it is not yet: an earlier run may have
 * started PostgreSQL as another user.
 */
function giveTo(path: string, user: { uid: number; gid: number }) {
  if (!existsSync(path) || lstatSync(path).uid === user.uid) return;
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const inner = join(path, entry);
    if (!lstatSync(inner).isSymbolicLink()) chownSync(inner, user.uid, user.gid);
  }
  // Last: the owner of this folder marks the contents as done.
  chownSync(path, user.uid, user.gid);
}
