import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, mintProjectSecret } from '@ceiba/domain';
import { getApiKeyRow, lookupMany } from '@ceiba/schema';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { everything, type RunOptions, typing, useDesk } from './support.ts';

const desk = useDesk();
const folder = mkdtempSync(join(tmpdir(), 'ceiba-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let projectId: string;
beforeEach(async () => {
  projectId = await makeProject('reports');
});

async function makeProject(name: string): Promise<string> {
  const yaml = `owner: { email: ops@example.com }\nprojects:\n  - name: ${name}\n`;
  const { stdout } = await desk.apply(yaml, { json: true });
  return JSON.parse(stdout).projects[0].projectId;
}

const key = (command: string, args: readonly string[], options: RunOptions = {}) =>
  desk.ceiba(['key', command, '--project', projectId, ...args], options);

async function create(...args: string[]) {
  const { code, stdout, stderr } = await key('create', ['--name', 'mobile', '--json', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const changesOf = async (apiKeyId: string) =>
  (
    await desk.db.sql`
    select action, actor_kind from audit_log where target_id = ${apiKeyId} order by id`
  ).map(({ action, actor_kind }) => `${actor_kind} ${action}`);

describe('ceiba key create', () => {
  test('prints the key that the next decision finds, once, with its limits and expiry', async () => {
    const limits = ['--rate', '5', '--quota', '0', '--expires-at', '2099-01-31T12:00:00+02:00'];
    const printed = await create(...limits);
    expect(printed).toEqual({
      projectId,
      apiKeyId: expect.any(String),
      displayName: 'mobile',
      keyPrefix: expect.stringMatching(/^ceiba_\w{8}$/),
      expiresAt: '2099-01-31T10:00:00.000Z',
      rateLimitPerMinute: 5,
      dailyQuota: null,
      monthlyQuota: 0,
      plaintextKey: expect.stringMatching(/^ceiba_\w+$/),
    });
    const apiKeyDigest = digestOf(printed.plaintextKey);
    const [found] = await lookupMany(desk.db, [{ projectId, apiKeyDigest }]);
    expect(found?.apiKey?.apiKeyId).toBe(printed.apiKeyId);
    expect(await changesOf(printed.apiKeyId)).toEqual(['cli api_key.create']);
    expect(await everything(desk.db)).not.toContain(printed.plaintextKey);
  });

  test('prints a name without what would turn the text of the terminal around', async () => {
    expect(await key('create', ['--name', 'a\u202eb'])).toMatchObject({ code: 2 });
    await key('create', ['--name', 'ab']);
    // As an earlier release stored it.
    await desk.db.sql`update api_keys set display_name = ${'a\u202eb'}`;
    const { apiKeyId } = JSON.parse((await key('list', ['--json'])).stdout).apiKeys[0];
    const limited = await key('set-limits', ['--key', apiKeyId, '--rate', '5', '--quota', 'none']);
    expect(limited.stdout).toContain('Limits of a\ufffdb,');
    const asked = await key('revoke', ['--key', apiKeyId], { stdin: typing('n') });
    expect(asked.stderr).toMatch(/^Revoke key a\ufffdb .*\? .* \[y\/N\] error: Key a\ufffdb /);
  });

  test('is never repeated by an error, where it is given instead of its id', async () => {
    const given = JSON.parse((await key('create', ['--name', 'x', '--json'])).stdout).plaintextKey;
    const { plaintext: secret } = mintProjectSecret(randomBytes);
    for (const json of [[], ['--json']]) {
      const ran = [
        await key('revoke', ['--key', given, ...json]),
        await desk.ceiba([given, ...json]),
        await desk.ceiba(['usage', '--project', secret, ...json]),
        await desk.ceiba(['apply', '-f', secret, ...json]),
      ];
      expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
      for (const { output } of ran) expect(output).toContain('ceiba_[redacted]');
      for (const { output } of ran) expect(output).not.toMatch(/ceiba_\w{20,}/);
    }
  });

  test('prints the key once at a terminal, and never to a log', async () => {
    const shown = await key('create', ['--name', 'mobile']);
    expect(shown.stdout.match(/ceiba_\w{20,}/g)).toHaveLength(1);
    const before = await everything(desk.db);
    const refused = await key('create', ['--name', 'mobile'], { isTerminal: false });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/Nothing was changed\. Add --secret-file .* or --json/);
    expect(await everything(desk.db)).toBe(before);
    const asked = await key('create', ['--name', 'x', '--show-secret'], { isTerminal: false });
    expect(asked.stdout).toMatch(/ceiba_\w{20,}/);
  });

  test('writes the key to a file of this user alone, and prints it nowhere', async () => {
    const path = join(folder, 'key.json');
    const { code, output } = await key('create', ['--name', 'mobile', '--secret-file', path]);
    expect(code).toBe(0);
    expect(output).not.toMatch(/ceiba_\w{20,}/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { plaintextKey } = JSON.parse(readFileSync(path, 'utf8'));
    expect(plaintextKey).toMatch(/^ceiba_\w{20,}$/);
    const beside = ['--name', 'mobile', '--json', '--secret-file', join(folder, 'other.json')];
    expect(JSON.parse((await key('create', beside)).stdout)).toMatchObject({ plaintextKey: null });
    const again = await key('create', ['--name', 'mobile', '--json', '--secret-file', path]);
    expect(again.code).toBe(2);
    expect(JSON.parse(again.stderr).error).toMatchObject({ field: '--secret-file' });
  });

  test('says that a key may be there, and is lost, where the connection ends as it is created', async () => {
    await desk.db.sql.unsafe(`
      create function cut() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger cut before insert on api_keys for each row execute function cut()`);
    try {
      const { code, stderr } = await key('create', ['--name', 'mobile']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /may have been made: check that first\..* the new key is lost: revoke it/,
      );
    } finally {
      await desk.db.sql`drop function cut cascade`;
    }
  });

  test('says that a key with a past expiry is denied', async () => {
    const past = ['--name', 'old', '--expires-at', '2001-01-01T00:00:00Z'];
    expect((await key('create', past)).stdout).toContain('has expired already');
    expect((await key('create', ['--name', 'new'])).stdout).not.toContain('expired');
  });

  test('fails at the cap of the plan, leaves no file, and succeeds after a revocation', async () => {
    const { apiKeyId } = await create();
    for (let active = 1; active < 3; active += 1) await create();
    const path = join(folder, 'beyond.json');
    const beyond = await key('create', ['--name', 'beyond', '--json', '--secret-file', path]);
    expect(beyond.code).toBe(1);
    expect(JSON.parse(beyond.stderr).error).toMatchObject({ code: 'plan_limit_reached' });
    expect(existsSync(path)).toBe(false);
    await key('revoke', ['--key', apiKeyId, '--yes']);
    await create();
  });

  test.each([
    ['an empty name', ['--name', ' '], '--name'],
    ['a name of two lines', ['--name', 'a\nb'], '--name'],
    ['no name', [], '--name'],
    ['a fraction', ['--name', 'a', '--rate', '1.5'], '--rate'],
    ['a date without a time', ['--name', 'a', '--expires-at', '2099-01-01'], '--expires-at'],
  ])('refuses %s, names the option, and changes nothing', async (_, args, field) => {
    const before = await everything(desk.db);
    const { code, stderr } = await key('create', ['--json', ...args]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.field).toBe(field);
    expect(await everything(desk.db)).toBe(before);
  });
});

describe('ceiba key list', () => {
  test('shows every key, newest first, with its state, and never a key', async () => {
    const created = await Promise.all([create(), create('--expires-at', '2001-01-01T00:00:00Z')]);
    await key('disable', ['--key', created[0].apiKeyId]);
    const { stdout } = await key('list', []);
    const lines = stdout.trimEnd().split('\n').slice(1);
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => / expired .* mobile$/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => / disabled .* mobile$/.test(line))).toHaveLength(1);
    for (const { plaintextKey, apiKeyId } of created) {
      expect(stdout).toContain(apiKeyId);
      expect(stdout).not.toContain(plaintextKey);
    }
  });

  test('narrows by status, as JSON with the contract’s fields', async () => {
    const { apiKeyId } = await create();
    await create();
    await key('archive', ['--key', apiKeyId, '--yes']);
    const { stdout } = await key('list', ['--status', 'archived', '--json']);
    const { apiKeys } = JSON.parse(stdout);
    expect(apiKeys).toHaveLength(1);
    expect(Object.keys(apiKeys[0]).sort()).toEqual([
      'apiKeyId',
      'archivedAt',
      'createdAt',
      'dailyQuota',
      'disabledAt',
      'displayName',
      'expiresAt',
      'keyPrefix',
      'lastUsedAt',
      'monthlyQuota',
      'note',
      'rateLimitPerMinute',
      'revokedAt',
      'status',
      'usedThisMonth',
    ]);
    expect(apiKeys[0]).toMatchObject({ apiKeyId, status: 'archived' });
  });

  test('says that there are none, and refuses an unknown status and project', async () => {
    expect(await key('list', [])).toMatchObject({
      code: 0,
      stdout: 'The project has no key yet.\n',
    });
    expect(await key('list', ['--json'])).toMatchObject({ stdout: '{\n  "apiKeys": []\n}\n' });
    expect((await key('list', ['--status', 'expired'])).stderr).toContain(
      'Allowed choices are active, revoked, archived',
    );
    const missing = await desk.ceiba(['key', 'list', '--project', randomUUID()]);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('ceiba key disable and enable', () => {
  test('change the key, and change nothing when repeated', async () => {
    const { apiKeyId } = await create();
    const ref = { projectId, apiKeyId };
    const of = ['--key', apiKeyId];
    expect((await key('disable', of)).stdout).toContain('is disabled: its next call is denied');
    expect((await getApiKeyRow(desk.db, ref))?.disabledAt).not.toBeNull();
    expect((await key('disable', of)).stdout).toContain(
      'is disabled already. Nothing was changed.',
    );
    expect((await key('enable', of)).stdout).toContain('is enabled.');
    expect((await getApiKeyRow(desk.db, ref))?.disabledAt).toBeNull();
    expect((await key('enable', of)).stdout).toContain('is not disabled. Nothing was changed.');
    expect(await changesOf(apiKeyId)).toEqual([
      'cli api_key.create',
      'cli api_key.disable',
      'cli api_key.enable',
    ]);
  });
});

describe.each([
  ['revoke', 'revoked', 'archive'],
  ['archive', 'archived', 'revoke'],
])('ceiba key %s', (name, status, other) => {
  test(`makes an active key ${status} for good, and changes nothing when repeated`, async () => {
    const { apiKeyId } = await create();
    const of = ['--key', apiKeyId, '--yes', '--json'];
    const printed = JSON.parse((await key(name, of)).stdout);
    expect(printed).toEqual({
      projectId,
      apiKeyId,
      status,
      disabledAt: null,
      revokedAt: status === 'revoked' ? expect.any(String) : null,
      archivedAt: status === 'archived' ? expect.any(String) : null,
    });
    expect(JSON.parse((await key(name, of)).stdout)).toEqual(printed);
    expect(await changesOf(apiKeyId)).toEqual(['cli api_key.create', `cli api_key.${name}`]);
  });

  test('needs a confirmation, for which it names the key', async () => {
    const { apiKeyId, keyPrefix } = await create();
    const of = ['--key', apiKeyId];
    const before = await everything(desk.db);
    const unasked = await key(name, [...of, '--json']);
    expect(unasked.code).toBe(2);
    expect(JSON.parse(unasked.stderr).error).toMatchObject({
      code: 'not_confirmed',
      field: '--yes',
    });
    const denied = await key(name, of, { stdin: typing('n') });
    expect(denied.code).toBe(2);
    expect(denied.stderr).toContain(`key mobile (${keyPrefix}…)? This cannot be undone. [y/N]`);
    expect(await everything(desk.db)).toBe(before);
    expect(await key(name, of, { stdin: typing('y') })).toMatchObject({ code: 0 });
    expect((await getApiKeyRow(desk.db, { projectId, apiKeyId }))?.status).toBe(status);
  });

  test('refuses a key of the other final status, without asking', async () => {
    const { apiKeyId } = await create();
    await key(other, ['--key', apiKeyId, '--yes']);
    const before = await everything(desk.db);
    const { code, stderr } = await key(name, ['--key', apiKeyId], { stdin: typing('y') });
    expect(code).toBe(2);
    expect(stderr).toMatch(/is (?:revoked|archived): only an active key can be/);
    expect(stderr).not.toContain('[y/N]');
    expect(await everything(desk.db)).toBe(before);
    for (const change of ['disable', 'enable']) {
      expect(await key(change, ['--key', apiKeyId])).toMatchObject({ code: 2 });
    }
  });

  test('does not find a key of another project', async () => {
    const { apiKeyId } = await create();
    const project = await makeProject('other');
    const args = ['key', name, '--project', project, '--key', apiKeyId, '--yes'];
    const { code, stderr } = await desk.ceiba(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`Project ${project} has no key ${apiKeyId}.`);
  });
});
