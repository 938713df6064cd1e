/**
 * The contract's "Authentication", where tests/golden/decisions.txt does not say it already: that
 * lists every kind of secret, each route's answers and the order of its checks.
 */
import { randomUUID } from 'node:crypto';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { type CallOptions, runtimeClient } from '../../support/scenario.ts';
import { expectError } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

const project = await world.createProject();
const client = runtimeClient(runtime.url, project);
const apiKey = await project.createKey();

describe('"Missing or invalid secret gives 401."', () => {
  it.each<[string, () => CallOptions]>([
    ['a blank header', () => ({ secret: '   ' })],
    ['the secret and a character more', () => ({ secret: `${project.secret}x` })],
    ['the secret without its last character', () => ({ secret: project.secret.slice(0, -1) })],
    ['the secret in upper case', () => ({ secret: project.secret.toUpperCase() })],
    ['the secret twice', () => ({ secret: `${project.secret}, ${project.secret}` })],
    [
      'the secret as an API key',
      () => ({ secret: null, headers: { 'x-api-key': project.secret } }),
    ],
  ])('%s', async (_what, options) => {
    expectError(await client.listKeys(options()), 'unauthorized', 'project secret');
    const decision = await client.authorize({ apiKey: apiKey.plaintext }, options());
    expectError(decision, 'unauthorized', 'project secret');
  });

  it('ignores a secret in the query', async () => {
    const path = `/rt/projects/${project.projectId}/api-keys`;
    const query = `?${PROJECT_SECRET_HEADER}=${project.secret}`;
    expectError(await client.call('GET', path + query, { secret: null }), 'unauthorized');
  });

  it('accepts a secret with white space around it, which the transport may add', async () => {
    const secret = ` ${project.secret}\t`;
    expect((await client.listKeys({ secret })).status).toBe(200);
    expect((await client.authorize({ apiKey: apiKey.plaintext }, { secret })).status).toBe(200);
  });

  it('answers an unknown project, a deleted one and a wrong secret alike', async () => {
    const { projectId, secret } = await world.createProject();
    const stranger = await world.createProject();
    await world.db.sql`delete from projects where id = ${projectId}`;
    const headers = { 'x-request-id': 'the-same-for-all' };
    const replies = await Promise.all([
      client.listKeys({ secret: stranger.secret, headers }),
      client.listKeys({ projectId: randomUUID(), headers }),
      client.listKeys({ projectId, secret, headers }),
      client.listKeys({ secret: null, headers }),
      client.authorize({ apiKey: apiKey.plaintext }, { projectId: randomUUID(), headers }),
      client.authorize({ apiKey: apiKey.plaintext }, { projectId, secret, headers }),
      client.authorize({ apiKey: null }, { secret: 'wrong', headers }),
    ]);
    for (const reply of replies) expectError(reply, 'unauthorized');
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  it('judges the secret before the key, even on the first request of a project', async () => {
    const by = runtimeClient(runtime.url, await world.createProject());
    for (const bad of [null, 'nope', 'x'.repeat(60_000)]) {
      expectError(await by.authorize({ apiKey: bad }, { secret: 'wrong' }), 'unauthorized');
    }
  });
});

it('a rotation changes no key: the keys of callers go on working', async () => {
  const rotating = await world.createProject();
  const key = await rotating.createKey();
  await rotating.rotateSecret();
  await rotating.rotateSecret();
  const { json } = await runtimeClient(runtime.url, rotating).authorize({ apiKey: key.plaintext });
  expect(json).toMatchObject({ allowed: true });
});
