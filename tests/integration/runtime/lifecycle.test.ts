/** The contract's "States and transitions", each row by real HTTP from every state. */
import {
  type ApiKeySummary,
  apiKeyLifecycleResultSchema,
  apiKeySummarySchema,
  decisionSchema,
} from '@ceiba/contract';
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import {
  type Reply,
  type RuntimeClient,
  runtimeClient,
  type TestProject,
} from '../../support/scenario.ts';
import { expectError, expectOk, FIELDS } from './assertions.ts';
import { startWorld } from './setup.ts';

const { world, runtime } = await startWorld();
const EXPIRY = '2031-05-06T07:08:09.000Z';

async function setUp(plan = {}) {
  const project = await world.createProject({ plan });
  const client = runtimeClient(runtime.url, project);
  return { project, client };
}

/** A key in the given state, brought there over HTTP. */
async function keyIn(status: ApiKeyStatus, { project, client }: Setting): Promise<Key> {
  const apiKey = await project.createKey();
  if (status === 'revoked') expectLifecycle(await client.revoke(apiKey.apiKeyId), status);
  if (status === 'archived') expectLifecycle(await client.archive(apiKey.apiKeyId), status);
  return apiKey;
}
interface Setting {
  project: TestProject;
  client: RuntimeClient;
}
type Key = { apiKeyId: string; plaintext: string };

const expectLifecycle = (reply: Reply, status: 'revoked' | 'archived') => {
  const body = expectOk(reply, apiKeyLifecycleResultSchema, FIELDS.lifecycle);
  expect(body.status).toBe(status);
  return body;
};

const read = async (client: RuntimeClient, apiKeyId: string): Promise<ApiKeySummary> =>
  expectOk(await client.getKey(apiKeyId), apiKeySummarySchema, FIELDS.apiKey);

const denialOf = async (client: RuntimeClient, apiKey: Key): Promise<string> => {
  const decision = decisionSchema.parse(
    (await client.authorize({ apiKey: apiKey.plaintext })).json,
  );
  return decision.allowed ? 'allowed' : decision.denialReason;
};

const auditRows = async (apiKeyId: string) => {
  const rows = await world.db.sql<{ action: string }[]>`
    select action from audit_log where target_id = ${apiKeyId} order by id`;
  return rows.map(({ action }) => action);
};

describe('"A newly created key is `active`."', () => {
  it('with every other instant null', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('active', setting);
    expect(await read(setting.client, apiKeyId)).toMatchObject({
      status: 'active',
      expiresAt: null,
      revokedAt: null,
      archivedAt: null,
      lastUsedAt: null,
    });
  });
});

describe('POST revoke', () => {
  it('active → revoked: "`revokedAt` set; takes effect on the next authorization"', async () => {
    const setting = await setUp();
    const apiKey = await keyIn('active', setting);
    const before = await read(setting.client, apiKey.apiKeyId);
    expect(await denialOf(setting.client, apiKey)).toBe('allowed');

    const body = expectLifecycle(await setting.client.revoke(apiKey.apiKeyId), 'revoked');
    expect(body.apiKeyId).toBe(apiKey.apiKeyId);
    expect(await denialOf(setting.client, apiKey)).toBe('revoked_api_key');
    const after = await read(setting.client, apiKey.apiKeyId);
    expect(after).toMatchObject({
      ...before,
      status: 'revoked',
      archivedAt: null,
      lastUsedAt: expect.any(String),
      revokedAt: expect.any(String),
    });
    expect(Math.abs(Date.parse(after.revokedAt ?? '') - Date.now())).toBeLessThan(60_000);
    expect(await auditRows(apiKey.apiKeyId)).toEqual(['api_key.create', 'api_key.revoke']);
  });

  it('revoked → revoked: "Idempotent: 200 with same body, no change"', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('active', setting);
    const first = await setting.client.revoke(apiKeyId);
    const before = await read(setting.client, apiKeyId);
    const second = await setting.client.revoke(apiKeyId);
    expectLifecycle(second, 'revoked');
    expect(second.text).toBe(first.text);
    expect(await read(setting.client, apiKeyId)).toEqual(before);
    expect(await auditRows(apiKeyId)).toEqual(['api_key.create', 'api_key.revoke']);
  });

  it('archived → archived (unchanged): "409 `conflict`"', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('archived', setting);
    const before = await read(setting.client, apiKeyId);
    expectError(await setting.client.revoke(apiKeyId), 'conflict', 'archived');
    expect(await read(setting.client, apiKeyId)).toEqual(before);
    expect(before.status).toBe('archived');
  });
});

describe('POST archive', () => {
  it('active → archived: "`archivedAt` set"', async () => {
    const setting = await setUp();
    const apiKey = await keyIn('active', setting);
    const before = await read(setting.client, apiKey.apiKeyId);
    expectLifecycle(await setting.client.archive(apiKey.apiKeyId), 'archived');
    expect(await denialOf(setting.client, apiKey)).toBe('archived_api_key');
    const after = await read(setting.client, apiKey.apiKeyId);
    expect(after).toEqual({ ...before, status: 'archived', archivedAt: expect.any(String) });
    expect(Math.abs(Date.parse(after.archivedAt ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('archived → archived: "Idempotent: 200, no change"', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('active', setting);
    const first = await setting.client.archive(apiKeyId);
    const before = await read(setting.client, apiKeyId);
    const second = await setting.client.archive(apiKeyId);
    expectLifecycle(second, 'archived');
    expect(second.text).toBe(first.text);
    expect(await read(setting.client, apiKeyId)).toEqual(before);
    expect(await auditRows(apiKeyId)).toEqual(['api_key.create', 'api_key.archive']);
  });

  it('revoked → revoked (unchanged): "409 `conflict`"', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('revoked', setting);
    const before = await read(setting.client, apiKeyId);
    expectError(await setting.client.archive(apiKeyId), 'conflict', 'revoked');
    expect(await read(setting.client, apiKeyId)).toEqual(before);
    expect(before.status).toBe('revoked');
  });
});

describe('PATCH expiresAt', () => {
  it('active → active: "Expiry set or cleared", answered in read shape', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('active', setting);
    const before = await read(setting.client, apiKeyId);
    for (const expiresAt of [EXPIRY, EXPIRY, null, null]) {
      const reply = await setting.client.setExpiry(apiKeyId, expiresAt);
      const body = expectOk(reply, apiKeySummarySchema, FIELDS.apiKey);
      expect(body).toEqual({ ...before, expiresAt });
      expect(await read(setting.client, apiKeyId)).toEqual(body);
    }
  });

  it.each([
    ['revoked', EXPIRY],
    ['revoked', null],
    ['archived', EXPIRY],
    ['archived', null],
  ] as const)('%s → unchanged: "409 `conflict`" for %s', async (status, expiresAt) => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn(status, setting);
    const before = await read(setting.client, apiKeyId);
    expectError(await setting.client.setExpiry(apiKeyId, expiresAt), 'conflict', status);
    expect(await read(setting.client, apiKeyId)).toEqual(before);
  });

  it('an expired key is still active, so its expiry can be cleared and it works again', async () => {
    const setting = await setUp();
    const apiKey = await keyIn('active', setting);
    await setting.client.setExpiry(apiKey.apiKeyId, '2020-01-01T00:00:00Z');
    expect(await denialOf(setting.client, apiKey)).toBe('expired_api_key');
    expectOk(
      await setting.client.setExpiry(apiKey.apiKeyId, null),
      apiKeySummarySchema,
      FIELDS.apiKey,
    );
    expect(await denialOf(setting.client, apiKey)).toBe('allowed');
  });
});

describe('"Revoke and archive are one-way and mutually exclusive; neither can be undone."', () => {
  const TRIGGERS = ['revoke', 'archive', 'set', 'clear'] as const;
  type Trigger = (typeof TRIGGERS)[number];
  const pull = ({ client }: Setting, apiKeyId: string, trigger: Trigger): Promise<Reply> => {
    switch (trigger) {
      case 'revoke':
        return client.revoke(apiKeyId);
      case 'archive':
        return client.archive(apiKeyId);
      case 'set':
        return client.setExpiry(apiKeyId, EXPIRY);
      case 'clear':
        return client.setExpiry(apiKeyId, null);
    }
  };
  /** The contract's table once more, written down apart from the code that it judges. */
  const after = (
    status: ApiKeyStatus,
    trigger: Trigger,
  ): { status: ApiKeyStatus; reply: number } => {
    if (status === 'active') {
      if (trigger === 'revoke') return { status: 'revoked', reply: 200 };
      return { status: trigger === 'archive' ? 'archived' : 'active', reply: 200 };
    }
    const isAgain = (status === 'revoked' ? 'revoke' : 'archive') === trigger;
    return { status, reply: isAgain ? 200 : 409 };
  };

  it('any two consecutive requests leave a key as the table says, from every state', async () => {
    const setting = await setUp();
    const sequences = API_KEY_STATUSES.flatMap((start) =>
      TRIGGERS.flatMap((a) => TRIGGERS.map((b) => ({ start, triggers: [a, b] }))),
    );
    const walk = async ({ start, triggers }: (typeof sequences)[number]) => {
      const { apiKeyId } = await keyIn(start, setting);
      let status: ApiKeyStatus = start;
      for (const trigger of triggers) {
        const expected = after(status, trigger);
        const reply = await pull(setting, apiKeyId, trigger);
        expect({ start, triggers, status: reply.status }).toEqual({
          start,
          triggers,
          status: expected.reply,
        });
        status = expected.status;
        const key = await read(setting.client, apiKeyId);
        expect(key.status).toBe(status);
        expect([key.revokedAt !== null, key.archivedAt !== null]).toEqual([
          status === 'revoked',
          status === 'archived',
        ]);
      }
    };
    while (sequences.length > 0) await Promise.all(sequences.splice(0, 16).map(walk));
  });

  it('one of a concurrent revoke and archive wins, and the other gets a conflict', async () => {
    const setting = await setUp();
    for (let round = 0; round < 10; round += 1) {
      const { apiKeyId } = await keyIn('active', setting);
      const replies = await Promise.all([
        setting.client.revoke(apiKeyId),
        setting.client.archive(apiKeyId),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [revoked] = replies;
      const { status } = await read(setting.client, apiKeyId);
      expect(status).toBe(revoked?.status === 200 ? 'revoked' : 'archived');
    }
  });

  it('many concurrent revokes all succeed, and one of them makes the change', async () => {
    const setting = await setUp();
    const { apiKeyId } = await keyIn('active', setting);
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => setting.client.revoke(apiKeyId)),
    );
    for (const reply of replies) expectLifecycle(reply, 'revoked');
    expect(await auditRows(apiKeyId)).toEqual(['api_key.create', 'api_key.revoke']);
  });
});

describe('the plan\'s active-key cap "counts only keys with status `active`"', () => {
  it('revoke "frees a slot against the plan\'s active-key cap"', async () => {
    const setting = await setUp({ activeKeyCap: 1 });
    const { apiKeyId } = await keyIn('active', setting);
    expectError(await setting.client.createKey('second'), 'plan_limit_reached');
    await setting.client.revoke(apiKeyId);
    expect((await setting.client.createKey('second')).status).toBe(200);
  });

  it('archive "frees a slot against the active-key cap"', async () => {
    const setting = await setUp({ activeKeyCap: 1 });
    const { apiKeyId } = await keyIn('active', setting);
    expectError(await setting.client.createKey('second'), 'plan_limit_reached');
    await setting.client.archive(apiKeyId);
    expect((await setting.client.createKey('second')).status).toBe(200);
  });

  it('an expired key keeps its slot: its status is active', async () => {
    const setting = await setUp({ activeKeyCap: 1 });
    const { apiKeyId } = await keyIn('active', setting);
    await setting.client.setExpiry(apiKeyId, '2020-01-01T00:00:00Z');
    expectError(await setting.client.createKey('second'), 'plan_limit_reached');
  });
});
