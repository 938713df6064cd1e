/** The log lines about decisions and callers. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { type Reply, runtimeClient, type TestProject } from '../../support/scenario.ts';
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

it('logs each decision under its id at `debug`, and none at `info`', async () => {
  const project = await world.createProject();
  const { apiKeyId, plaintext } = await project.createKey();
  for (const level of ['debug', 'info']) {
    const { runtime, lines } = await runtimeAt(level);
    const client = runtimeClient(runtime.url, project);
    const allowed = await client.authorize({ apiKey: plaintext });
    const denied = await client.authorize({ apiKey: plaintext, path: '/nowhere' });
    await runtime.stop();
    const logged = lines().filter(({ msg }) => msg === 'decision');
    const { projectId } = project;
    const expected = [
      { ...idOf(allowed), projectId, apiKeyId, policyId: anyId, outcome: 'allowed' },
      { ...idOf(denied), projectId, apiKeyId, policyId: null, outcome: 'policy_no_match' },
    ];
    expect(logged).toMatchObject(level === 'debug' ? expected : []);
    expect(logged).toHaveLength(level === 'debug' ? 2 : 0);
  }
});

/** Asks for a decision with half a body. @returns the answer, once there is one */
function askHalfway(port: number, { projectId, secret }: TestProject): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /rt/projects/${projectId}/authorize HTTP/1.1\r\nhost: x\r\n` +
      'content-type: application/json\r\ncontent-length: 30\r\nconnection: close\r\n' +
      `x-service-project-secret: ${secret}\r\n\r\n{"apiKey"`,
  );
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
  });
}

it('logs an overload when decisions are rejected because too many are in flight', async () => {
  const project = await world.createProject();
  const { plaintext } = await project.createKey();
  const settings = { ...PATIENT, DECISION_DEADLINE_MS: '2000', MAX_DECISIONS_IN_FLIGHT: '1' };
  const { runtime, lines } = await runtimeAt('info', settings);
  const client = runtimeClient(runtime.url, project);
  const statusOf = async () => (await client.authorize({ apiKey: plaintext })).status;
  const halfway: Promise<string>[] = [];
  // Whichever comes first takes the only place.
  const statusBesideHalfway = () => {
    halfway.push(askHalfway(runtime.port, project));
    return statusOf();
  };
  expect(await statusOf()).toBe(200);
  await expect.poll(statusBesideHalfway, { interval: 10, timeout: 10_000 }).toBe(503);
  await Promise.all(halfway);
  expect(await statusOf()).toBe(200);
  await runtime.stop();
  const logged = lines().filter(({ msg }) => msg === 'answered 503');
  // One line per second: several on a slow machine.
  expect(new Set(logged.map(({ dependency }) => dependency))).toEqual(new Set(['overload']));
});

it('logs no outage for a caller that does not send its body', async () => {
  const project = await world.createProject();
  const { runtime, lines } = await runtimeAt('debug', {});
  expect(await askHalfway(runtime.port, project)).toMatch(/^HTTP\/1\.1 503 /);
  await runtime.stop();
  const words = lines().map(({ msg }) => msg);
  expect(words).toContain('the body did not arrive in time');
  expect(words).not.toContain('answered 503');
});

it('says which host sent a wrong secret, and for which project, without a credential', async () => {
  const project = await world.createProject();
  const { runtime, lines } = await runtimeAt('info');
  const client = runtimeClient(runtime.url, project);
  const agent = `host/1.2 ${project.secret}${'x'.repeat(500)}`;
  const headers = { 'user-agent': agent, 'x-request-id': 'of-the-host' };
  const secret = 'ceiba_secret_wrong';
  expect((await client.authorize({ apiKey: null }, { secret, headers })).status).toBe(401);
  // Lines of made-up projects do not suppress those of projects.
  const projectId = '0190a0b0-0000-7000-8000-000000000000';
  for (let n = 0; n < 20; n += 1) await client.listKeys({ projectId, secret });
  await runtime.stop();
  const refusals = lines().filter(({ msg }) => msg === 'refused a project secret');
  const [ofProject, ofNone] = refusals;
  expect(ofProject).toMatchObject({
    requestId: 'of-the-host',
    projectId: project.projectId,
    peer: expect.stringMatching(/127\.0\.0\.1$/),
    problem: 'wrong_secret',
  });
  expect(ofProject?.userAgent).toMatch(/^host\/1\.2 ceiba_\[redacted\]/);
  expect(String(ofProject?.userAgent).length).toBeLessThanOrEqual(128);
  expect(ofNone).toMatchObject({ problem: 'unknown_project' });
  expect(ofNone).not.toHaveProperty('projectId');
  expect(refusals.length).toBeLessThan(15);
});
