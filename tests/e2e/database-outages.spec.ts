import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startTestPostgres } from '../support/services.ts';
import { startConsole } from './console-process.ts';

/** Each way in which a console can fail to reach its database: real sockets, real errors. */
interface Outage {
  databaseUrl: string;
  /** The error in the console's log. */
  logged: RegExp;
  stop?: () => Promise<unknown>;
}

const OUTAGES: Record<string, () => Promise<Outage>> = {
  'a port that is closed': async () => {
    const server = await listen(() => {});
    await server.stop();
    return { databaseUrl: server.url, logged: /ECONNREFUSED/ };
  },
  'a host that is unknown': async () => ({
    databaseUrl: 'postgres://ceiba@database.invalid/ceiba',
    logged: /ENOTFOUND|EAI_AGAIN/,
  }),
  'a server without TLS that must have it': async () => {
    const server = await startTestPostgres();
    return {
      databaseUrl: `${server.url}?sslmode=verify-full`,
      logged: /ERR_TLS_NOT_OFFERED/,
      stop: () => server.dispose(),
    };
  },
  'a server in recovery': async () => {
    const server = await startTestPostgres();
    await server.stop();
    writeFileSync(join(server.dataFolder, 'standby.signal'), '');
    await server.start();
    return {
      databaseUrl: server.url,
      logged: /NotPrimaryError/,
      stop: () => server.dispose(),
    };
  },
  'a connection exception of a pooler (08006)': () => refuseWith('08006'),
  'a server that is starting (57P03)': () => refuseWith('57P03'),
  'a server without free connections (53300)': () => refuseWith('53300'),
};

for (const [name, begin] of Object.entries(OUTAGES)) {
  test(`${name} is an outage on the page, in readiness and in the log`, async ({ page }) => {
    const outage = await begin();
    const app = await startConsole({ DATABASE_URL: outage.databaseUrl });
    try {
      await page.goto(`${app.url}/sign-in`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(
        'The database is not answering',
      );
      await expect(page.getByText('Try again once the database is back')).toBeVisible();
      const reference = await page.getByRole('main').getByRole('code').innerText();
      expect(reference).toMatch(/^outage-\d+$/);
      await expect.poll(app.log).toContain(reference);
      const problem = new RegExp(`DatabaseUnavailableError\\]?: (${outage.logged.source})`);
      await expect.poll(app.log).toMatch(problem);
      expect((await page.request.get(`${app.url}/api/ready`)).status()).toBe(503);
    } finally {
      await app.stop();
      await outage.stop?.();
    }
  });
}

/** `SSLRequest` of PostgreSQL's protocol, which a client without `sslmode` sends first. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** A server without TLS that answers every login with a SQLSTATE, in the protocol of PostgreSQL. */
async function refuseWith(sqlState: string): Promise<Outage> {
  const fields = `SFATAL\0VFATAL\0C${sqlState}\0Mrefused\0\0`;
  const answer = Buffer.alloc(5 + fields.length);
  answer.write('E');
  answer.writeInt32BE(4 + fields.length, 1);
  answer.write(fields, 5);
  const { url, stop } = await listen((socket) =>
    socket.on('data', (sent) => {
      if (sent.equals(SSL_REQUEST)) socket.write('N');
      else socket.end(answer);
    }),
  );
  return { databaseUrl: url, logged: new RegExp(sqlState), stop };
}

async function listen(serve: Parameters<typeof createServer>[1]) {
  const server = createServer(serve).listen(0, '127.0.0.1');
  // A client may reset a connection that it was refused on.
  server.on('connection', (socket) => socket.on('error', () => {}));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://ceiba@127.0.0.1:${port}/ceiba`,
    stop: async () => void server.close(),
  };
}
