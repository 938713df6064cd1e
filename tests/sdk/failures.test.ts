import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { batchProblemsOf, mixUpsOf } from './support/batch-matrix.ts';
import { type MatrixOptions, violationsOf } from './support/failure-matrix.ts';
import {
  ALLOW,
  failures,
  replyText,
  startAllowingRuntime,
  startHostileRuntime,
} from './support/hostile-runtime.ts';
import { ADAPTERS, sendRaw, startBrokenExpress } from './support/hosts.ts';
import { loadSdk } from './support/sdk.ts';

/*
 * Promise 3, seen from a host: for every failure of the Runtime, no handler runs, the caller gets an
 * answer within the deadline, and the status is the one in the contract.
 */

const sdk = await loadSdk();
const allowing = await startAllowingRuntime();
afterAll(() => allowing.close());

const names = failures('http://127.0.0.1:1').map(({ name }) => name);

describe.each([
  ['the built-in transport', (): MatrixOptions => ({})],
  ['a custom fetch', (): MatrixOptions => ({ client: { fetch } })],
])('over %s no adapter runs a handler when the Runtime', (_name, options) => {
  it.each(names)('%s', async (name) => {
    const failure = failures(allowing.url).find((candidate) => candidate.name === name);
    if (failure === undefined) throw new Error(`there is no failure ${name}`);
    expect(await violationsOf(sdk, failure, options())).toEqual([]);
  });

  it.each(names)('%s, also where 32 questions share requests', async (name) => {
    const failure = failures(allowing.url).find((candidate) => candidate.name === name);
    if (failure === undefined) throw new Error(`there is no failure ${name}`);
    expect(await batchProblemsOf(sdk, failure, options().client)).toEqual([]);
  });
});

it('32 questions that share requests each get their own answer', async () => {
  expect(await mixUpsOf(sdk)).toEqual([]);
});

describe.each([
  ['the built-in transport', {}],
  ['a custom fetch', { fetch }],
])('over %s an unsolicited answer', (_name, options) => {
  const denial = '{"allowed":false,"decisionId":"d","denialReason":"invalid_api_key"}';
  const question = { apiKey: 'k', method: 'GET', path: '/v1/reports' };

  it.each([
    [
      'at once',
      (socket: Socket) => void socket.write(replyText(200, denial) + replyText(200, ALLOW)),
    ],
    [
      'later',
      (socket: Socket) => {
        socket.write(replyText(200, denial));
        setImmediate(() => socket.write(replyText(200, ALLOW)));
      },
    ],
  ])('is not used for the next question when it arrives %s', async (_when, answer) => {
    const asked = new WeakSet<Socket>();
    const runtime = await startHostileRuntime({
      name: 'answers unasked',
      hostStatus: 401,
      answer: (socket) => {
        if (!asked.has(socket)) answer(socket);
        asked.add(socket);
      },
    });
    const config = sdk.root.parseCeibaConfig({
      runtimeBaseUrl: runtime.url,
      projectId: '0192f0c0-0000-7000-8000-000000000001',
      projectSecret: 'ceiba_secret_x',
      timeoutMs: 250,
    });
    const client = new sdk.root.CeibaRuntimeClient(config, options);
    expect((await client.authorize(question)).allowed).toBe(false);
    for (let ask = 0; ask < 3; ask += 1) {
      const second = await client.authorize(question).catch(() => null);
      expect(second?.allowed ?? false).toBe(false);
    }
    client.close();
    await runtime.close();
  });
});

describe.each(Object.keys(ADAPTERS))('%s', (adapter) => {
  const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';

  async function hostFor(runtimeBaseUrl: string, options: object = {}) {
    const config = sdk.root.parseCeibaConfig({
      runtimeBaseUrl,
      projectId: PROJECT_ID,
      projectSecret: 'ceiba_secret_x',
    });
    const client = new sdk.root.CeibaRuntimeClient(config);
    const host = await ADAPTERS[adapter]!(sdk, { client, projectId: PROJECT_ID, ...options });
    return { host, client };
  }

  it('answers 503 when nothing listens at the address of the Runtime', async () => {
    const { host } = await hostFor('http://127.0.0.1:1');
    expect((await sendRaw(host.port, 'GET /v1/reports HTTP/1.1')).status).toBe(503);
    expect(host.handled).toEqual([]);
    await host.close();
  });

  it('runs the handler on an allow, so the matrix does not pass by denying everything', async () => {
    const { host, client } = await hostFor(allowing.url);
    expect((await sendRaw(host.port, 'GET /v1/reports HTTP/1.1')).status).toBe(200);
    expect(host.handled).toEqual(['reports']);
    await host.close();
    client.close();
  });
});

describe('an Express host with broken responses', () => {
  it('runs no handler, after a failure or an allow', async () => {
    const adapters = { 'broken express': startBrokenExpress };
    for (const name of ['answers 500', 'never answers']) {
      const failure = failures(allowing.url).find((candidate) => candidate.name === name)!;
      const broken = { ...failure, hostStatus: 500 };
      expect(await violationsOf(sdk, broken, { adapters })).toEqual([]);
    }
    const allows = { name: 'allows', hostStatus: 500, answer: answerWith(replyText(200, ALLOW)) };
    expect(await violationsOf(sdk, allows, { adapters })).toEqual([]);
  });
});

function answerWith(text: string): (socket: Socket) => void {
  return (socket) => void socket.write(text);
}
