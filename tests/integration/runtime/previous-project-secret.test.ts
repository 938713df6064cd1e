import { expect, it } from 'vitest';
import { type CallOptions, type RuntimeClient, runtimeClient } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

/** A project whose secret was rotated, and the one that it had. */
async function setUp() {
  const project = await world.createProject();
  const previous = project.secret;
  await project.rotateSecret();
  const lastUse = async () => {
    const [row] = await world.db.sql<{ at: Date | null }[]>`
      select previous_secret_last_used_at as at from projects where id = ${project.projectId}`;
    return row?.at ?? null;
  };
  return { project, previous, lastUse, client: runtimeClient(runtime.url, project) };
}

type Call = (client: RuntimeClient, options: CallOptions) => Promise<{ status: number }>;

const CALLS: readonly [string, Call][] = [
  ['a decision, also one that denies', (client, options) => client.authorize({}, options)],
  ['a batch', (client, options) => client.authorizeBatch([{ method: 'GET', path: '/' }], options)],
  ['a route of keys', (client, options) => client.listKeys(options)],
];

it.each(CALLS)('%s with the previous secret is its last use', async (_, call) => {
  const { previous, lastUse, client } = await setUp();
  expect((await call(client, { secret: previous })).status).toBe(200);
  await until('the use is written', async () => (await lastUse()) !== null);
});

it('calls with the current secret and with a wrong one are no use of the previous', async () => {
  const { project, previous, lastUse, client } = await setUp();
  expect((await client.authorize({})).status).toBe(200);
  expect((await client.authorize({}, { secret: `${previous}0` })).status).toBe(401);
  const witness = await setUp();
  await witness.client.authorize({}, { secret: witness.previous });
  await until('a later use is written', async () => (await witness.lastUse()) !== null);
  expect(await lastUse()).toBeNull();
  await project.rotateSecret();
  expect(await lastUse()).toBeNull();
});
