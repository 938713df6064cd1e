/** What the log tells of decisions and of callers. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { type Reply, runtimeClient } from '../../support/scenario.ts';
import { PATIENT, startWorld } from './setup.ts';

const { world, databaseUrl, redisUrl } = await startWorld();

const anyId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const idOf = (reply: Reply) => ({
  decisionId: (reply.json as { decisionId: string }).decisionId,
});

async function runtimeAt(level: string, settings: Record<string, string> = PATIENT) {
  const runtime = await startRuntime({
    databaseUrl,
    redisUrl,
    settings: { ...settings, LOG_LEVEL: level },
  });
  const lines = (): Record<string, unknown>[] =>
    runtime
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  return { runtime, lines };
}

it('at `debug` each decision is a line under its id, at `info` none is', async () => {
  const project = await world.createProject();
  const { apiKeyId, plaintext } = await project.createKey();
  for (const level of ['debug', 'info']) {
    const { runtime, lines } = await runtimeAt(level);
    const client = runtimeClient(runtime.url, project);
    const allowed = await client.authorize({ apiKey: plaintext });
    const denied = await client.authorize({ apiKey: plaintext, path: '/nowhere' });
    await runtime.stop();
    const told = lines().filter(({ msg }) => msg === 'decision');
    const { projectId } = project;
    const expected = [
      { ...idOf(allowed), projectId, apiKeyId, policyId: anyId, outcome: 'allowed' },
      { ...idOf(denied), projectId, apiKeyId, policyId: null, outcome: 'policy_no_match' },
    ];
    expect(told).toMatchObject(level === 'debug' ? expected : []);
    expect(told).toHaveLength(level === 'debug' ? 2 : 0);
  }
});

it('a caller who does not send its body is no outage', async () => {
  const project = await world.createProject();
  const { runtime, lines } = await runtimeAt('debug', {});
  const socket = connect(runtime.port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
  });
  socket.write(
    `POST /rt/projects/${project.projectId}/authorize HTTP/1.1\r\nhost: x\r\n` +
      'content-type: application/json\r\ncontent-length: 30\r\nconnection: close\r\n' +
      'x-service-project-secret: whatever\r\n\r\n{"apiKey"',
  );
  expect(await answer).toMatch(/^HTTP\/1\.1 503 /);
  await runtime.stop();
  const words = lines().map(({ msg }) => msg);
  expect(words).toContain('the body did not arrive in time');
  expect(words).not.toContain('answered 503');
});
