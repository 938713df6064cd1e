/** The contract's "States and transitions" over HTTP: what each row answers, and what it changes. */
import {
  type ApiKeySummary,
  apiKeyLifecycleResultSchema,
  apiKeySummarySchema,
  decisionSchema,
} from '@ceiba/contract';
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';
import { statusAfter, TRANSITIONS } from '@ceiba/domain';
import { expect, it } from 'vitest';
import { type Reply, type RuntimeClient, runtimeClient } from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();
const project = await world.createProject();
const client = runtimeClient(runtime.url, project);

const REQUESTS = {
  revoke: ['revoke', (id) => client.revoke(id)],
  archive: ['archive', (id) => client.archive(id)],
  set: ['set_expiry', (id) => client.setExpiry(id, '2031-05-06T07:08:09.000Z')],
  clear: ['set_expiry', (id) => client.setExpiry(id, null)],
} as const satisfies Record<
  string,
  [keyof typeof TRANSITIONS, (apiKeyId: string) => Promise<Reply>]
>;
type Request = keyof typeof REQUESTS;
const NAMES = Object.keys(REQUESTS) as Request[];

/** A key in the given state, brought there over HTTP. */
async function keyIn(status: ApiKeyStatus) {
  const apiKey = await project.createKey();
  if (status === 'revoked') await client.revoke(apiKey.apiKeyId);
  if (status === 'archived') await client.archive(apiKey.apiKeyId);
  return apiKey;
}

const read = async (by: RuntimeClient, apiKeyId: string): Promise<ApiKeySummary> =>
  expectOk(await by.getKey(apiKeyId), apiKeySummarySchema, FIELDS.apiKey);

/** Sends one request and asserts its answer and its effect; returns the status that it leaves. */
async function request(apiKeyId: string, name: Request): Promise<ApiKeyStatus> {
  const [trigger, send] = REQUESTS[name];
  const before = await read(client, apiKeyId);
  const outcome = TRANSITIONS[trigger][before.status];
  const reply = await send(apiKeyId);
  const after = await read(client, apiKeyId);
  if (outcome === 'conflict') expectError(reply, 'conflict', before.status);
  else if (trigger === 'set_expiry')
    expect(expectOk(reply, apiKeySummarySchema, FIELDS.apiKey)).toEqual(after);
  else
    expect(expectOk(reply, apiKeyLifecycleResultSchema, FIELDS.lifecycle)).toEqual({
      apiKeyId,
      status: after.status,
    });
  if (outcome !== 'updated') expect(after).toEqual(before);
  else expect(after.status).toBe(statusAfter(trigger));
  expect([after.revokedAt !== null, after.archivedAt !== null]).toEqual([
    after.status === 'revoked',
    after.status === 'archived',
  ]);
  return after.status;
}

it.each(API_KEY_STATUSES)(
  'any two consecutive requests leave a key that is %s as the table says',
  async (start) => {
    const pairs = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const));
    await Promise.all(
      pairs.map(async (pair) => {
        const { apiKeyId } = await keyIn(start);
        for (const name of pair) await request(apiKeyId, name);
      }),
    );
  },
);

it.each(['revoke', 'archive'] as const)('%s applies to the very next decision', async (name) => {
  const { apiKeyId, plaintext } = await keyIn('active');
  const ask = async () =>
    decisionSchema.parse((await client.authorize({ apiKey: plaintext })).json);
  expect(await ask()).toMatchObject({ allowed: true });
  const status = await request(apiKeyId, name);
  expect(await ask()).toMatchObject({ allowed: false, denialReason: `${status}_api_key` });
});

it('an expired key is still active, so its expiry can be cleared and it works again', async () => {
  const { apiKeyId, plaintext } = await keyIn('active');
  await client.setExpiry(apiKeyId, '2020-01-01T00:00:00Z');
  const ask = async () => (await client.authorize({ apiKey: plaintext })).json;
  expect(await ask()).toMatchObject({ allowed: false, denialReason: 'expired_api_key' });
  expect(await read(client, apiKeyId)).toMatchObject({
    status: 'active',
    expiresAt: '2020-01-01T00:00:00.000Z',
  });
  await request(apiKeyId, 'clear');
  expect(await ask()).toMatchObject({ allowed: true });
});
