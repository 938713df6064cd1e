/** More requests than the Runtime can decide: it refuses those of the project that floods it. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { runtimeClient, type TestProject } from '../../support/scenario.ts';
import { PATIENT, startWorld } from './setup.ts';

const { world, databaseUrl, redisUrl } = await startWorld();

/** Sends half a body, so that the request is in flight until its deadline. Resolves when it is answered. */
function hang(port: number, { projectId, secret }: TestProject): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /rt/projects/${projectId}/authorize HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
      'content-type: application/json\r\ncontent-length: 30\r\n' +
      `x-service-project-secret: ${secret}\r\n\r\n{"apiKey"`,
  );
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

it('answers a project beside the flood of another one, which it refuses', async () => {
  const settings = { ...PATIENT, DECISION_DEADLINE_MS: '2000' };
  const runtime = await startRuntime({ databaseUrl, redisUrl, settings });
  const flooding = await world.createProject();
  const other = await world.createProject();
  const { plaintext } = await other.createKey();
  const client = runtimeClient(runtime.url, other);
  expect((await client.authorize({ apiKey: plaintext })).status).toBe(200);

  let isFlooding = true;
  const flood = Array.from({ length: 200 }, async () => {
    while (isFlooding) await hang(runtime.port, flooding);
  });
  try {
    const refusals = () => runtime.stdout().match(/"dependency":"overload"/g)?.length ?? 0;
    await expect.poll(refusals, { timeout: 20_000 }).toBeGreaterThan(0);
    for (let asked = 0; asked < 50; asked += 1) {
      expect((await client.authorize({ apiKey: plaintext })).status).toBe(200);
    }
  } finally {
    isFlooding = false;
    await Promise.all(flood);
    await runtime.stop();
  }
});
