import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, listPlans } from '@ceiba/schema';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase, migrationsFolder } from '../../support/database.ts';
import { createEmptyDatabase, hurried, PATIENT, runCeiba } from './support.ts';

const journal: { entries: { tag: string }[] } = JSON.parse(
  readFileSync(join(migrationsFolder, 'meta/_journal.json'), 'utf8'),
);
const newest = journal.entries.at(-1)!.tag;
const count = journal.entries.length;

const cleanUps: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function emptyDatabaseUrl(): Promise<string> {
  const { url, drop } = await createEmptyDatabase();
  cleanUps.push(drop);
  return url;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-cli-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder without a stack file, whatever runs in the workspace. */
const nowhere = () => ({ CEIBA_DATA_DIR: makeFolder() });

describe('ceiba migrate', () => {
  test('applies every migration to an empty database, and then has nothing to do', async () => {
    const env = { DATABASE_URL: await emptyDatabaseUrl() };
    expect(await runCeiba(['migrate'], { env })).toMatchObject({
      code: 0,
      stdout: `Applied ${count} migration${count === 1 ? '' : 's'}: the database is at ${newest}.\n`,
      stderr: '',
    });
    expect(await runCeiba(['migrate'], { env })).toMatchObject({
      code: 0,
      stdout: `Nothing to do: the database is at ${newest}.\n`,
      stderr: '',
    });
  });

  test('names the right that a role lacks, and what grants it', async () => {
    const url = new URL(await emptyDatabaseUrl());
    const role = `poor_${url.pathname.slice(1)}`;
    const admin = createDatabase(url.href, PATIENT);
    cleanUps.push(() => admin.close());
    await admin.sql.unsafe(`create role "${role}" login password 'poor'`);
    cleanUps.push(async () => {
      await admin.sql.unsafe(`drop owned by "${role}"; drop role "${role}"`);
    });
    [url.username, url.password] = [role, 'poor'];
    const env = { DATABASE_URL: url.href };
    const name = url.pathname.slice(1);

    const ran = await runCeiba(['migrate'], { env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`grant create on database "${name}" to the user`);

    await admin.sql.unsafe(`grant create on database "${name}" to "${role}"`);
    const withDatabase = await runCeiba(['migrate'], { env });
    expect(withDatabase.code).toBe(1);
    expect(withDatabase.stderr).toContain('grant usage, create on schema "public" to the user');

    await admin.sql.unsafe(`grant usage, create on schema public to "${role}"`);
    expect(await runCeiba(['migrate'], { env })).toMatchObject({ code: 0 });
  });

  test('is required by every other command', async () => {
    const env = { DATABASE_URL: await emptyDatabaseUrl() };
    const id = '00000000-0000-4000-8000-000000000000';
    for (const args of [
      ['apply', '-f', '-'],
      ['project', 'rotate-secret', '--project', id],
      ['key', 'set-limits', '--project', id, '--key', id, '--rate', '1'],
      ['owner', 'set-password', '--email', 'ops@example.com'],
      ['owner', 'create', '--email', 'ops@example.com'],
      ['setup-token'],
    ]) {
      const { code, stderr } = await runCeiba(args, { env, stdin: 'plans: []' });
      expect(code).toBe(1);
      expect(stderr).toBe('error: The database has no Ceiba tables yet. Run: ceiba migrate\n');
    }
  });

  test('is required, with the name of the migration, if the database lacks the newest one', async () => {
    const env = { DATABASE_URL: await emptyDatabaseUrl() };
    await runCeiba(['migrate'], { env });
    const db = createDatabase(env.DATABASE_URL, PATIENT);
    cleanUps.push(() => db.close());
    await db.sql`
      delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    const { code, stderr } = await runCeiba(['apply', '-f', '-'], { env, stdin: 'plans: []' });
    expect(code).toBe(1);
    expect(stderr).toBe(`error: The database lacks ${newest}. Run: ceiba migrate\n`);
  });
});

describe('the address of the database', () => {
  const apply = (options: Parameters<typeof runCeiba>[1]) =>
    runCeiba(['apply', '-f', '-'], { stdin: 'plans: []', ...options });

  async function makeStack(folder: string): Promise<string> {
    const database = await createTestDatabase();
    cleanUps.push(() => database.drop());
    mkdirSync(join(folder, '.ceiba'), { recursive: true });
    const stack = { databaseUrl: database.url, redisUrl: 'redis://127.0.0.1:1', hostUrl: 'x' };
    writeFileSync(join(folder, '.ceiba/stack.json'), JSON.stringify(stack));
    return database.url;
  }

  test('is that of a running npm start, found from any folder below it', async () => {
    const folder = makeFolder();
    const url = await makeStack(folder);
    const below = join(folder, 'deep/er');
    mkdirSync(below, { recursive: true });
    const yaml = 'plans: [{ name: Huge, activeKeyCap: 1, rateLimitPerMinute: 1, monthlyQuota: 1 }]';
    expect(await apply({ cwd: below, stdin: yaml })).toMatchObject({ code: 0 });
    const db = createDatabase(url, PATIENT);
    cleanUps.push(() => db.close());
    expect((await listPlans(db)).map(({ name }) => name)).toContain('Huge');
  });

  test('is read from CEIBA_DATA_DIR if that is set', async () => {
    const folder = makeFolder();
    await makeStack(folder);
    const env = { CEIBA_DATA_DIR: join(folder, '.ceiba') };
    expect(await apply({ env, cwd: makeFolder() })).toMatchObject({ code: 0 });
    expect(await apply({ env: nowhere(), cwd: folder })).toMatchObject({ code: 2 });
  });

  test('is taken from DATABASE_URL rather than from npm start', async () => {
    const folder = makeFolder();
    await makeStack(folder);
    const env = { DATABASE_URL: 'postgres://ceiba@127.0.0.1:1/ceiba' };
    const { code, stderr } = await apply({ env, cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('127.0.0.1:1 cannot be reached');
  });

  test('is required', async () => {
    const { code, stderr } = await apply({ env: nowhere() });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: No database is set. Set DATABASE_URL to a Postgres URL, or start the local stack with: npm start\n',
    );
  });

  test.each([
    [
      'is not an address',
      'localhost:5432',
      2,
      /DATABASE_URL: must be an address such as postgres:/,
    ],
    [
      'belongs to another kind of server',
      'mysql://ceiba@127.0.0.1/x',
      2,
      /DATABASE_URL: must be an address/,
    ],
    ['does not answer', 'postgres://ceiba:s3cret@127.0.0.1:1/x', 1, /ECONNREFUSED/],
    ['does not exist', 'postgres://ceiba:s3cret@nowhere.invalid/x', 1, /cannot be reached/],
    [
      'has several hosts',
      'postgres://ceiba:s3cret@127.0.0.1:1,127.0.0.1:2/x',
      1,
      /127\.0\.0\.1:1,/,
    ],
  ])('that %s is reported without its password', async (_, url, exitCode, message) => {
    const { code, stdout, stderr } = await apply({ env: { DATABASE_URL: url } });
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('s3cret');
  });

  test('of a database that does not exist is reported with what to do', async () => {
    const url = new URL(process.env.DATABASE_URL!);
    url.pathname = '/ceiba_nowhere';
    const { code, stderr } = await apply({ env: { DATABASE_URL: url.toString() } });
    expect(code).toBe(1);
    expect(stderr).toContain('has no database of this name; create it first');
  });

  test('of a server that accepts connections and never answers is reported', async () => {
    const server = await listen();
    const env = { DATABASE_URL: `postgres://ceiba@127.0.0.1:${server}/x` };
    const { code, stderr } = await hurried(() => apply({ env }));
    expect(code).toBe(1);
    expect(stderr).toContain('CONNECT_TIMEOUT');
  });

  test('of a busy server, which takes seconds to accept each connection, is waited for', async () => {
    const { url, drop } = await createTestDatabase();
    cleanUps.push(drop);
    const busy = new URL(url);
    busy.port = String(await listen((client) => delayed(client, Number(new URL(url).port), 1_500)));
    const env = { DATABASE_URL: busy.toString(), REDIS_URL: process.env.REDIS_URL! };
    const { code, stderr } = await apply({ env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await runCeiba(['doctor'], { env })).code).toBe(0);
  });

  test('in a damaged stack file is reported with the file', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'stack.json'), '{"databaseUrl": 5}');
    const broken = await apply({ env: { CEIBA_DATA_DIR: folder } });
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain(
      `in ${join(folder, 'stack.json')} are wrong:\n  databaseUrl: must`,
    );
    writeFileSync(join(folder, 'stack.json'), '{');
    expect((await apply({ env: { CEIBA_DATA_DIR: folder } })).stderr).toContain(
      'is not a JSON object',
    );
  });
});

/** A port that accepts connections and, without `serve`, never answers. */
async function listen(serve?: (client: Socket) => void): Promise<number> {
  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Connects a client to a port of this machine, late. */
function delayed(client: Socket, port: number, ms: number): void {
  const server = connect(port, '127.0.0.1');
  server.pipe(client).on('error', () => server.destroy());
  server.on('error', () => client.destroy());
  setTimeout(() => client.pipe(server), ms);
}

describe('the command line', () => {
  test('prints its version and its newest migration', async () => {
    const { code, stdout } = await runCeiba(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^ceiba \\d+\\.\\d+\\.\\d+(-dev)? \\(schema ${newest}\\)\\n$`),
    );
  });

  test.each([
    [[]],
    [['project']],
    [['nonsense']],
    [['migrate', 'twice']],
    [['apply', '--nonsense']],
    [['project', 'rotate-secret']],
  ])('%o is a usage error: exit code 2, and nothing on stdout', async (args) => {
    const { code, stdout, stderr } = await runCeiba(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  test('has help for every command, which needs no database', async () => {
    for (const command of [
      ['migrate'],
      ['apply'],
      ['doctor'],
      ['owner', 'set-password'],
      ['owner', 'create'],
      ['setup-token'],
      ['project', 'rotate-secret'],
      ['project', 'set-subscription'],
      ['key', 'set-limits'],
    ]) {
      const { code, stdout } = await runCeiba([...command, '--help'], { env: nowhere() });
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: ceiba ${command.join(' ')}`);
    }
  });
});
