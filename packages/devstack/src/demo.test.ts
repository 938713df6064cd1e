import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { type Demo, ensureDemo } from './demo.ts';
import { writePrivateJson } from './secrets.ts';
import { Supervisor, temporaryFolder } from './supervisor.ts';

const stored: Demo = {
  ownerEmail: 'demo@ceiba.local',
  ownerPassword: 'password',
  projectId: 'p1',
  projectSecret: 'secret',
  apiKey: 'ceiba_abc.def',
};
const listed = { apiKeys: [{ keyPrefix: 'ceiba_abc', status: 'active', expiresAt: null }] };

/** A Runtime that gives these answers, one after the other. */
async function runtimeWith(answers: { status: number; body: object }[]): Promise<string> {
  const server = createServer((_, response) => {
    const { status, body } = answers.shift() ?? { status: 500, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function demoOf(runtimeUrl: string) {
  const dataDir = temporaryFolder('ceiba-demo-');
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  writePrivateJson(join(dataDir, 'demo.json'), { ...stored });
  const lock = { watchdogPid: undefined, update() {}, release() {} };
  const services = { databaseUrl: '', redisUrl: '', isRealRedis: true };
  return ensureDemo({ supervisor: new Supervisor(dataDir, lock), services, runtimeUrl });
}

it('asks again while the Runtime is too busy to answer in time', async () => {
  const busy = { status: 503, body: { error: 'service_unavailable' } };
  const runtimeUrl = await runtimeWith([busy, busy, { status: 200, body: listed }]);
  expect(await demoOf(runtimeUrl)).toEqual({ demo: stored, news: 'kept' });
});

it('says what the Runtime answered when it refuses', async () => {
  const runtimeUrl = await runtimeWith([{ status: 400, body: { error: 'bad_request' } }]);
  await expect(demoOf(runtimeUrl)).rejects.toMatchObject({
    message: 'The Runtime could not read the demo project.',
    output: '{"error":"bad_request"}',
  });
});
