/** The contract's "Authentication", over all seven project routes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { mintProjectSecret } from '@ceiba/domain';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CallOptions,
  type Reply,
  type RuntimeClient,
  runtimeClient,
  type TestApiKey,
  type TestProject,
} from '../../support/scenario.ts';
import { expectError } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();

type Route = [
  string,
  (client: RuntimeClient, apiKey: TestApiKey, options: CallOptions) => Promise<Reply>,
];
/** Every route that asks for the project secret; each succeeds any number of times. */
const ROUTES: Route[] = [
  ['authorize', (c, key, options) => c.authorize({ apiKey: key.plaintext }, options)],
  ['list', (c, _key, options) => c.listKeys(options)],
  ['get', (c, key, options) => c.getKey(key.apiKeyId, options)],
  ['create', (c, _key, options) => c.createKey('another', options)],
  ['expiry', (c, key, options) => c.setExpiry(key.apiKeyId, null, options)],
];
const LAST_ROUTES: Route[] = [
  ['revoke', (c, key, options) => c.revoke(key.apiKeyId, options)],
  ['archive', (c, key, options) => c.archive(key.apiKeyId, options)],
];

let project: TestProject;
let stranger: TestProject;
let client: RuntimeClient;
let apiKey: TestApiKey;

beforeAll(async () => {
  project = await world.createProject();
  stranger = await world.createProject();
  client = runtimeClient(runtime.url, project);
  apiKey = await project.createKey();
});

/** Calls every route; each has to answer 401 and to have changed nothing. */
async function expectRefused(options: () => CallOptions): Promise<void> {
  const before = (await client.listKeys()).text;
  for (const [name, call] of [...ROUTES, ...LAST_ROUTES]) {
    const reply = await call(client, apiKey, options());
    expect({ name, status: reply.status }).toEqual({ name, status: 401 });
    expectError(reply, 'unauthorized', 'project secret');
  }
  expect((await client.listKeys()).text).toBe(before);
}

const works = async (secret: string, by = client, key = apiKey): Promise<boolean[]> =>
  Promise.all(ROUTES.map(async ([, call]) => (await call(by, key, { secret })).status === 200));
const ALL = ROUTES.map(() => true);
const NONE = ROUTES.map(() => false);

describe('"Missing or invalid secret gives 401." on every project route', () => {
  it.each<[string, () => CallOptions]>([
    ['no header', () => ({ secret: null })],
    ['an empty header', () => ({ secret: '' })],
    ['a blank header', () => ({ secret: '   ' })],
    ['an unknown secret', () => ({ secret: mintProjectSecret(randomBytes).plaintext })],
    ['text that is no secret', () => ({ secret: 'letmein' })],
    ["another project's secret", () => ({ secret: stranger.secret })],
    ['a downstream key', () => ({ secret: apiKey.plaintext })],
    ['the secret and a character more', () => ({ secret: `${project.secret}x` })],
    ['the secret without its last character', () => ({ secret: project.secret.slice(0, -1) })],
    ['the secret in upper case', () => ({ secret: project.secret.toUpperCase() })],
    ['the secret twice', () => ({ secret: `${project.secret}, ${project.secret}` })],
    [
      'the secret as a bearer token',
      () => ({ secret: null, headers: { authorization: `Bearer ${project.secret}` } }),
    ],
    [
      'the secret as an API key',
      () => ({ secret: null, headers: { 'x-api-key': project.secret } }),
    ],
  ])('%s', async (_what, options) => expectRefused(options));

  it('ignores a secret in the query', async () => {
    const path = `/rt/projects/${project.projectId}/api-keys`;
    const query = `?${PROJECT_SECRET_HEADER}=${project.secret}`;
    expectError(await client.call('GET', path + query, { secret: null }), 'unauthorized');
  });

  it('accepts a secret with white space around it, which the transport may add', async () => {
    expect(await works(` ${project.secret}\t`)).toEqual(ALL);
  });

  it('answers an unknown project, a deleted one and a wrong secret alike', async () => {
    const deleted = await world.createProject();
    const { projectId, secret } = deleted;
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

  it('"Keys and projects are owner-scoped": a secret is valid only for its own project', async () => {
    const strangerClient = runtimeClient(runtime.url, stranger);
    expect((await strangerClient.listKeys()).status).toBe(200);
    expectError(await strangerClient.listKeys({ secret: project.secret }), 'unauthorized');
    expectError(await client.listKeys({ secret: stranger.secret }), 'unauthorized');
  });
});

describe('the order of the checks: project UUID, secret, the rest', () => {
  it.each([...ROUTES, ...LAST_ROUTES])(
    '%s reports an invalid project id before it requires a secret',
    async (_name, call) => {
      expectError(
        await call(client, apiKey, { projectId: 'nope', secret: null }),
        'invalid_request',
        '"projectId"',
      );
    },
  );

  it.each<[string, CallOptions]>([
    ['malformed JSON', { body: '{' }],
    ['a body over the cap', { body: `"${'x'.repeat(70_000)}"` }],
    ['a wrong content type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['an unknown field', { body: { unknown: 1 } }],
  ])('%s is reported only with the right secret', async (_what, options) => {
    for (const [, call] of [ROUTES[0]!, ROUTES[3]!, ROUTES[4]!, ...LAST_ROUTES]) {
      expectError(await call(client, apiKey, { ...options, secret: 'wrong' }), 'unauthorized');
      expectError(await call(client, apiKey, { ...options, secret: null }), 'unauthorized');
    }
  });

  it('an invalid or unknown key id is reported only with the right secret', async () => {
    for (const id of ['nope', randomUUID()]) {
      const options = { secret: 'wrong' };
      for (const reply of [
        await client.getKey(id, options),
        await client.setExpiry(id, null, options),
        await client.revoke(id, options),
        await client.archive(id, options),
      ]) {
        expectError(reply, 'unauthorized');
      }
    }
  });

  it('a wrong secret with an invalid key is 401, even on the first request of a project', async () => {
    const fresh = await world.createProject();
    const by = runtimeClient(runtime.url, fresh);
    for (const bad of [null, 'nope', 'x'.repeat(60_000)]) {
      expectError(await by.authorize({ apiKey: bad }, { secret: 'wrong' }), 'unauthorized');
    }
  });
});

describe('rotation: "the Runtime accepts the current secret and the single unexpired previous secret for 24 hours"', () => {
  async function setUp() {
    const rotating = await world.createProject();
    const by = runtimeClient(runtime.url, rotating);
    return { rotating, by, key: await rotating.createKey() };
  }

  it('accepts both on every route after a rotation', async () => {
    const { rotating, by, key } = await setUp();
    const oldest = rotating.secret;
    const newer = await rotating.rotateSecret();
    expect(await works(oldest, by, key)).toEqual(ALL);
    expect(await works(newer, by, key)).toEqual(ALL);
  });

  it('"one previous secret only": a second rotation ends the oldest at once', async () => {
    const { rotating, by, key } = await setUp();
    const oldest = rotating.secret;
    const middle = await rotating.rotateSecret();
    expect(await works(oldest, by, key)).toEqual(ALL);
    const newest = await rotating.rotateSecret();
    expect(await works(oldest, by, key)).toEqual(NONE);
    expect(await works(middle, by, key)).toEqual(ALL);
    expect(await works(newest, by, key)).toEqual(ALL);
    expectError(await by.listKeys({ secret: oldest }), 'unauthorized');
  });

  it('accepts the previous one for exactly 24 hours on the database’s clock', async () => {
    const { rotating, by, key } = await setUp();
    const oldest = rotating.secret;
    const newer = await rotating.rotateSecret();
    const [row] = await world.db.sql<{ hours: number }[]>`
      select extract(epoch from previous_secret_expires_at - secret_created_at)::float8 / 3600
        as hours
      from projects where id = ${rotating.projectId}`;
    expect(row?.hours).toBeCloseTo(24, 2);

    const endIn = (ms: number) => world.db.sql`
      update projects set previous_secret_expires_at = now() + make_interval(secs => ${ms / 1000})
      where id = ${rotating.projectId}`;
    await endIn(60_000);
    expect(await works(oldest, by, key)).toEqual(ALL);
    await endIn(0);
    expect(await works(oldest, by, key)).toEqual(NONE);
    expect(await works(newer, by, key)).toEqual(ALL);
  });

  it('changes no key: the keys of callers go on working', async () => {
    const { rotating, by, key } = await setUp();
    await rotating.rotateSecret();
    await rotating.rotateSecret();
    expect((await by.authorize({ apiKey: key.plaintext })).json).toMatchObject({ allowed: true });
  });
});
