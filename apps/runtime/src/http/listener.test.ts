import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createLogger } from '@ceiba/process/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission } from '../decision/admission.ts';
import type { Dependencies } from '../decision/dependencies.ts';
import { entranceOf } from '../decision/entrance-test-support.ts';
import { ErrorLog } from '../error-log.ts';
import { createApp } from './app.ts';
import { createAuthorizeRoutes } from './authorize-routes.ts';
import { createHttpServer } from './listener.ts';
import type { ProjectRouteOptions } from './project-routes.ts';

const PATH = '/rt/projects/0190a0b0-0000-7000-8000-000000000000/authorize';

const errors = new ErrorLog(createLogger({ service: 'test', level: 'silent' }));
const authorizeRoutes = createAuthorizeRoutes({
  dependencies: {} as Dependencies,
  errors,
  deadlineMs: 50,
  entrance: entranceOf(new Admission({ maxDecisions: 1, deadlineMs: 50, now: () => 0 })),
});
const checks = { database: async () => {}, redis: async () => {}, schema: async () => {} };
const projects = {} as ProjectRouteOptions;
const app = createApp({ authorizeRoutes, projects, checks, isDraining: () => false, errors });
const server = createHttpServer(app, authorizeRoutes, errors);

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');

/** What the server writes until it ends the connection; the rest of the body never comes. */
async function answersTo(head: string): Promise<string> {
  const socket = open();
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write(`POST ${head}\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{`);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

describe('headers over 16 KiB', () => {
  it.each([
    ['a question', `POST ${PATH}`],
    ['a question of a gateway', `GET ${PATH.replace('authorize', 'forward-auth')}`],
    ['another address', 'GET /health'],
  ])('get 431 as JSON that no cache keeps, with %s', async (_, line) => {
    const socket = open();
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\ncookie: ${'x'.repeat(21_000)}\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(head).toContain('content-type: application/json\r\ncache-control: no-store');
    expect(JSON.parse(body)).toEqual({
      error: 'headers_too_large',
      message: 'The headers are too large.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

describe('a request that is answered before its body has arrived', () => {
  it.each([
    ['without a secret', '', 401],
    ['past its deadline', '\r\nx-service-project-secret: secret', 503],
  ])(
    '%s gets one answer, and its connection ends',
    async (_, header, status) => {
      const answers = (await answersTo(`${PATH} HTTP/1.1${header}`)).split('HTTP/1.1 ').slice(1);
      expect(answers.map((answer) => Number(answer.slice(0, 3)))).toEqual([status]);
    },
    20_000,
  );

  it('keeps its connection if the rest arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const socket = open();
    const health = 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const answerTo = async (bytes: string) => {
      socket.write(bytes);
      const [answer] = await once(socket, 'data');
      return String(answer).slice(9, 12);
    };
    try {
      const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9`;
      expect(await answerTo(`${head}\r\n\r\n{`)).toBe('401');
      expect(await answerTo(`12345678${health}`)).toBe('200');
      vi.advanceTimersByTime(1_000);
      expect(await answerTo(health)).toBe('200');
    } finally {
      vi.useRealTimers();
    }
  });
});
