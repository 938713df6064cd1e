import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { SEEDED_PLANS } from '@ceiba/domain';
import { createDatabase, type Database, type VerbContext } from '@ceiba/schema';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { run } from '../../../apps/cli/src/program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

export const OWNER_PASSWORD = 'copper lantern over the fjord';

/** For a test's own connection, which may wait for longer than the Runtime's. */
export const PATIENT = { maxConnections: 1, connectTimeoutSeconds: 20 } as const;

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, in the order in which a terminal would show them. */
  output: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string | NodeJS.ReadableStream;
  /** False where the output goes into a file or a log. */
  isTerminal?: boolean;
  /** True where the errors go to a terminal, which shows progress. */
  showsProgress?: boolean;
  /** Aborted when no one reads the output any more. */
  closed?: AbortSignal;
  /** Gets the output as it is written. */
  onStdout?: (text: string) => void;
}

/** Runs a command line with its own environment: it sees no variable of this process. */
export async function runCeiba(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, cwd = tmpdir(), stdin = '', isTerminal = true, onStdout } = options;
  const shown: { on: 'stdout' | 'stderr'; text: string }[] = [];
  const showing = (on: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        shown.push({ on, text: String(chunk) });
        if (on === 'stdout') onStdout?.(String(chunk));
        done();
      },
    });
  const code = await run(args, {
    env,
    cwd,
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout: Object.assign(showing('stdout'), { isTTY: isTerminal }),
    stderr: Object.assign(showing('stderr'), { isTTY: options.showsProgress === true }),
    random: randomBytes,
    closed: options.closed ?? new AbortController().signal,
    onSecret: () => {},
  });
  const textOn = (...streams: string[]) =>
    shown
      .filter(({ on }) => streams.includes(on))
      .map(({ text }) => text)
      .join('');
  return {
    code,
    stdout: textOn('stdout'),
    stderr: textOn('stderr'),
    output: textOn('stdout', 'stderr'),
  };
}

/** A terminal at which a user types these lines. */
export function typing(...lines: string[]): NodeJS.ReadableStream & { isTTY: true } {
  const stream = new PassThrough();
  for (const line of lines) stream.write(`${line}\r`);
  return Object.assign(stream, { isTTY: true as const });
}

/** Runs a command that waits for a silent server, with the timers ahead of the clock. */
export async function hurried<T>(run: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const running = run().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(500);
      await setImmediate();
    }
    return await running;
  } finally {
    vi.useRealTimers();
  }
}

interface ApplyOptions extends RunOptions {
  json?: boolean;
  flags?: readonly string[];
}

export interface Desk {
  readonly url: string;
  readonly db: Database;
  readonly ctx: VerbContext;
  /** Runs a command against the desk's database, in its own folder. */
  ceiba(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Applies a file given as text, with the owner's password set. */
  apply(yaml: string, options?: ApplyOptions): Promise<Ran>;
}

/** One database per test file, reset to a new installation before every test. */
export function useDesk(): Desk {
  let made: { database: TestDatabase; db: Database } | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-cli-'));
  const current = () => {
    if (made === undefined) throw new Error('the database is created before the first test');
    return made;
  };
  beforeAll(async () => {
    const database = await createTestDatabase();
    made = { database, db: createDatabase(database.url, { ...PATIENT, maxConnections: 4 }) };
  });
  beforeEach(async () => {
    const plans = SEEDED_PLANS.map(
      ({ name, activeKeyCap, rateLimitPerMinute, monthlyQuota }) =>
        `('${name}', ${activeKeyCap}, ${rateLimitPerMinute}, ${monthlyQuota})`,
    );
    await current().db.sql.unsafe(`
      delete from projects; delete from users; delete from audit_log; delete from plans;
      insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
      values ${plans.join(', ')}`);
  });
  afterAll(async () => {
    await made?.db.close();
    await made?.database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  const ceiba = (args: readonly string[], options: RunOptions = {}) =>
    runCeiba(args, {
      cwd: folder,
      ...options,
      env: { DATABASE_URL: current().database.url, ...options.env },
    });
  return {
    get url() {
      return current().database.url;
    },
    get db() {
      return current().db;
    },
    get ctx() {
      const { db } = current();
      return { db, actor: { kind: 'cli' } as const, clientAddress: null, requestId: null };
    },
    ceiba,
    apply: (yaml, { json = false, flags = [], ...options } = {}) =>
      ceiba(['apply', '-f', '-', ...(json ? ['--json'] : []), ...flags], {
        ...options,
        env: { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD, ...options.env },
        stdin: yaml,
      }),
  };
}

/** Every row of every table, as text, to compare before and after. */
export async function everything(db: Database): Promise<string> {
  const tables = await db.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  const contents = [];
  for (const { name } of tables) {
    contents.push(await db.sql.unsafe(`select to_jsonb(t)::text from "${name}" t order by 1`));
  }
  return JSON.stringify(contents);
}

export interface EmptyDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database without tables; `createTestDatabase` returns a migrated one. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const server = createDatabase(process.env.DATABASE_URL!, PATIENT);
  const name = `ceiba_empty_${randomBytes(8).toString('hex')}`;
  await server.sql`create database ${server.sql(name)}`;
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    async drop() {
      await server.sql`drop database if exists ${server.sql(name)} with (force)`;
      await server.close();
    },
  };
}
