/** `DATABASE_URL` with the parameters of libpq, against servers with and without TLS. */

import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { temporaryFolder } from '@ceiba/devstack/supervisor';
import { createDatabase, DatabaseClient, openDatabase } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../support/certificates.ts';
import { startTestPostgres, type TestService } from '../../support/services.ts';

let server: TestService;
let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let port: string;
let password: string;
beforeAll(async () => {
  authority = createCertificateAuthority();
  stranger = createCertificateAuthority();
  server = await startTestPostgres();
  await server.stop();
  const { cert, key } = authority.issue('server', ['DNS:localhost']);
  putIntoDataFolder('server.crt', cert);
  putIntoDataFolder('server.key', key);
  putIntoDataFolder('ca.crt', authority.ca);
  const settings = ["ssl = 'on'", "ssl_ca_file = 'ca.crt'"];
  appendFileSync(join(server.dataFolder, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await server.start();
  ({ port, password } = new URL(server.url));
  await withConnection(server.url, async (sql) => {
    for (const name of ['only_plain', 'only_tls']) await sql.unsafe(`create role ${name} login`);
  });
  setRules(
    'hostnossl all only_plain all trust',
    'hostssl all only_plain all reject',
    'hostnossl all only_tls all reject',
    'hostssl all only_tls all trust clientcert=verify-ca',
    'host all all all scram-sha-256',
  );
  await withConnection(server.url, (sql) => sql`select pg_reload_conf()`);
}, 120_000);
afterAll(() => server?.dispose());

function putIntoDataFolder(name: string, from: string): void {
  const to = join(server.dataFolder, name);
  writeFileSync(to, readFileSync(from), { mode: 0o600 });
  const { uid, gid } = statSync(server.dataFolder);
  chownSync(to, uid, gid);
}

function setRules(...rules: string[]): void {
  writeFileSync(join(server.dataFolder, 'pg_hba.conf'), `${rules.join('\n')}\n`);
}

const username = 'ceiba';
const urlOf = (host: string, query: string, user = `${username}:${password}`) =>
  `postgres://${user}@${host}:${port}/postgres?${query}`;

/** Whether the connection is encrypted, and its TLS version. */
async function connectionTo(url: string) {
  const client = new DatabaseClient(url, { maxConnections: 1 });
  try {
    const [row] = await client.run(
      10_000,
      ({ sql }) => sql`
        select ssl, version, application_name as name from pg_stat_ssl
        join pg_stat_activity using (pid) where pid = pg_backend_pid()`,
    );
    return row;
  } finally {
    await client.close();
  }
}

const failureOf = async (url: string): Promise<string> => {
  const db = await openDatabase(url, { maxConnections: 1 }).catch((error: unknown) => error);
  if (db instanceof Error) return `${'code' in db ? db.code : ''} ${db.message}`;
  return 'connected';
};

describe('sslmode, as libpq has it', () => {
  it.each([
    ['localhost', 'sslmode=disable', false],
    ['localhost', '', true],
    ['localhost', 'sslmode=prefer', true],
    ['localhost', 'sslmode=allow', false],
    ['127.0.0.1', 'sslmode=require', true],
    ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=CA', true],
    ['localhost', 'sslmode=verify-full&sslrootcert=CA', true],
    ['localhost', 'sslmode=verify-full&sslrootcert=CA&sslsni=0', true],
    ['localhost', 'sslmode=verify-full&sslrootcert=CA&hostaddr=127.0.0.1', true],
  ])('connects to %s with "%s"', async (host, query, ssl) => {
    expect(await connectionTo(urlOf(host, query.replace('CA', authority.ca)))).toMatchObject({
      ssl,
    });
  });

  it.each([
    ['localhost', 'sslmode=verify-full', 'SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY'],
    ['127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['localhost', 'sslmode=verify-ca&sslrootcert=OTHER', 'UNABLE_TO_VERIFY|SELF_SIGNED'],
    ['localhost', 'sslmode=require&sslrootcert=OTHER', 'UNABLE_TO_VERIFY|SELF_SIGNED'],
    ['localhost', 'sslmode=require&ssl_max_protocol_version=TLSv1.1', 'SSL'],
  ])('does not connect to %s with "%s"', async (host, query, failure) => {
    const files = query.replace('CA', authority.ca).replace('OTHER', stranger.ca);
    expect(await failureOf(urlOf(host, files))).toMatch(new RegExp(failure));
  });

  it('connects to an IPv6 address in brackets', async () => {
    const proxy = createServer((socket) => {
      const server = connect(Number(port), '127.0.0.1');
      // Either end may be reset when the test is over.
      for (const end of [socket, server]) end.on('error', () => {});
      socket.pipe(server).pipe(socket);
    });
    await once(proxy.listen(0, '::1'), 'listening');
    const there = (proxy.address() as AddressInfo).port;
    const url = urlOf('[::1]', 'sslmode=require').replace(`:${port}/`, `:${there}/`);
    expect(await connectionTo(url)).toMatchObject({ ssl: true });
    proxy.close();
  });

  it('asks for no TLS where the server wants none, and for TLS where it wants it', async () => {
    const plain = (query: string) => urlOf('localhost', query, 'only_plain');
    expect(await connectionTo(plain('sslmode=prefer'))).toMatchObject({ ssl: false });
    expect(await failureOf(plain('sslmode=require'))).toMatch('28000');
    const { cert, key } = authority.issue('client', ['DNS:client']);
    const certificate = `sslcert=${cert}&sslkey=${key}`;
    const encrypted = (query: string) => urlOf('localhost', query, 'only_tls');
    expect(await connectionTo(encrypted(`sslmode=allow&${certificate}`))).toMatchObject({
      ssl: true,
    });
    expect(await failureOf(encrypted('sslmode=disable'))).toMatch('28000');
    expect(
      await failureOf(encrypted(`sslmode=require&sslcertmode=disable&${certificate}`)),
    ).toMatch('28000');
  });

  it('refuses a server without TLS only where TLS is required', async () => {
    const without = process.env.DATABASE_URL ?? '';
    expect(await connectionTo(`${without}?sslmode=prefer`)).toMatchObject({ ssl: false });
    expect(await failureOf(`${without}?sslmode=require`)).toMatch('does not offer TLS');
  });
});

describe('the other parameters', () => {
  it('name the program before the purpose', async () => {
    const db = createDatabase(urlOf('localhost', 'application_name=billing'), {
      applicationName: 'ceiba-decisions',
    });
    const [row] = await db.sql`select current_setting('application_name') as name`;
    expect(row?.name).toBe('billing/ceiba-decisions');
    await db.close();
  });

  it('set options of the server, which do not replace what Ceiba needs', async () => {
    const options = encodeURIComponent('-c work_mem=7MB -c TimeZone=Asia/Tokyo');
    const db = createDatabase(urlOf('localhost', `options=${options}`), { maxConnections: 1 });
    const [row] = await db.sql`
      select current_setting('work_mem') as work, current_setting('TimeZone') as zone`;
    expect(row).toEqual({ work: '7MB', zone: 'UTC' });
    await db.close();
  });

  it('take the password from a file, and the rest from a service', async () => {
    const folder = temporaryFolder('ceiba-libpq-');
    const [passwords, services] = [join(folder, 'pass'), join(folder, 'service.conf')];
    writeFileSync(passwords, `localhost:${port}:postgres:ceiba:${decodeURIComponent(password)}\n`);
    writeFileSync(services, `[app]\nhost=localhost\nport=${port}\nuser=ceiba\ndbname=postgres\n`);
    const url = `postgres:///?service=app&servicefile=${services}&passfile=${passwords}`;
    expect(await failureOf(url)).toMatch('chmod 600');
    writeFileSync(passwords, readFileSync(passwords), { mode: 0o600 });
    chmodSync(passwords, 0o600);
    expect(await connectionTo(url)).toMatchObject({ ssl: true });
  });

  it('do not read PGPASSWORD, PGHOST or PGSSLMODE', async () => {
    process.env.PGPASSWORD = decodeURIComponent(password);
    try {
      expect(await failureOf(`postgres://ceiba@localhost:${port}/postgres`)).not.toBe('connected');
    } finally {
      delete process.env.PGPASSWORD;
    }
  });
});
