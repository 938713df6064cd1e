import { randomBytes } from 'node:crypto';
import { loggedDecisionSchema } from '@ceiba/contract';
import { mintApiKey } from '@ceiba/domain';
import { createApiKey, type NewDecision, writeDecisions } from '@ceiba/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { decisionAt } from '../schema/decision-log/support.ts';
import { type RunOptions, useDesk } from './support.ts';

const desk = useDesk();
const START = Date.parse('2026-11-22T12:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

let projectId: string;
beforeEach(async () => {
  const yaml =
    'owner: { email: ops@example.com }\nprojects: [{ name: reports }, { name: other }]\n';
  const { stdout } = await desk.apply(yaml, { json: true });
  projectId = JSON.parse(stdout).projects[0].projectId;
});

async function log(seconds: number, change: Partial<NewDecision> = {}): Promise<string> {
  const decision = decisionAt(projectId, at(seconds), change);
  await writeDecisions(desk.db, { decisions: [decision], gaps: [] });
  return decision.decisionId;
}

const requests = (args: readonly string[], options: RunOptions = {}) =>
  desk.ceiba(['requests', '--project', projectId, ...args], options);

const idsIn = (stdout: string) =>
  [...stdout.matchAll(/"decisionId":"([^"]+)"/g)].map(([, id]) => id);

describe('ceiba requests', () => {
  test('prints the newest decisions, the newest last, as the routes return them', async () => {
    const limits = {
      rateLimitPerMinute: 60,
      monthlyQuota: 9,
      remainingThisMinute: 0,
      remainingThisMonth: 4,
    };
    await log(1);
    const second = await log(2, {
      outcome: 'rate_limited',
      limits,
      limitOwner: 'project_default',
      limitWindow: 'minute',
      limitValue: 60,
    });
    const third = await log(3, { outcome: 'allowed', limits });
    const { code, stdout, stderr } = await requests(['--limit', '2', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const printed = stdout.trimEnd().split('\n');
    expect(printed.map((line) => loggedDecisionSchema.parse(JSON.parse(line)))).toMatchObject([
      {
        decisionId: second,
        at: at(2).toISOString(),
        allowed: false,
        denialReason: 'rate_limited',
        exceededLimit: { owner: 'project_default', window: 'minute', value: 60 },
      },
      { decisionId: third, allowed: true, denialReason: null, exceededLimit: null },
    ]);
    await log(4, { outcome: 'expired_api_key', denialDetail: 'disabled' });
    const { stdout: lines } = await requests([]);
    expect(lines).toContain("(60 per minute of the project's default)");
    expect(lines).toContain('(disabled)');
  });

  test('is narrowed by every option, and shows nothing of another project', async () => {
    const minted = mintApiKey(randomBytes);
    const created = await createApiKey(desk.ctx, {
      projectId,
      displayName: 'Key',
      mint: () => minted,
    });
    if (created.kind !== 'created') throw new Error(created.kind);
    const { apiKeyId } = created;
    const first = await log(1, { outcome: 'allowed', method: 'POST', requestId: 'host-1' });
    const second = await log(2, { outcome: 'policy_no_match', apiKeyId, path: '/v2/billing' });
    const third = await log(3);
    const listed = async (...args: string[]) => idsIn((await requests([...args, '--json'])).stdout);
    expect(await listed()).toEqual([first, second, third]);
    expect(await listed('--outcome', 'allowed')).toEqual([first]);
    expect(await listed('--outcome', 'denied')).toEqual([second, third]);
    expect(await listed('--reason', 'policy_no_match')).toEqual([second]);
    expect(await listed('--key', apiKeyId)).toEqual([second]);
    expect(await listed('--key', minted.prefix)).toEqual([second]);
    expect(await listed('--method', 'POST')).toEqual([first]);
    expect(await listed('--path-prefix', '/v2')).toEqual([second]);
    expect(await listed('--request-id', 'host-1')).toEqual([first]);
    expect(await listed('--decision', third)).toEqual([third]);
    expect(await listed('--from', at(2).toISOString())).toEqual([second, third]);
    expect(await listed('--to', at(2).toISOString())).toEqual([first]);
    const [other] = await desk.db.sql<{ id: string }[]>`
      select id from projects where id <> ${projectId}`;
    const foreign = await desk.ceiba(['requests', '--project', other!.id, '--decision', third]);
    expect(foreign).toMatchObject({ code: 0, stdout: '' });
  });

  test('finds the calls of a key that the project does not have, by its prefix', async () => {
    const unknown = { outcome: 'invalid_api_key', keyPrefix: 'ceiba_AAAAAAAA' } as const;
    const denied = await log(1, unknown);
    await log(2, { ...unknown, keyPrefix: 'ceiba_BBBBBBBB' });
    const { stdout, stderr } = await requests(['--key', unknown.keyPrefix, '--json']);
    expect(idsIn(stdout)).toEqual([denied]);
    expect(stderr).toBe(
      'The project has no key ceiba_AAAAAAAA…: these calls were denied for it.\n',
    );
  });

  test('says how many decisions of this time the log left out', async () => {
    await log(60);
    const gap = { projectId, incarnation: 'a', outcome: 'rate_limited', leftOut: 7 } as const;
    const minute = START / 60_000;
    const gaps = [
      { ...gap, minute },
      { ...gap, minute: minute + 1, leftOut: 1_234 },
      { ...gap, minute: minute + 1, outcome: 'allowed' as const },
    ];
    await writeDecisions(desk.db, { decisions: [], gaps });
    const said = async (...args: string[]) => (await requests([...args, '--json'])).stderr;
    const intro = 'The log left out decisions of this time: ';
    expect(await said()).toBe(`${intro}rate_limited 1241, allowed 7.\n`);
    expect(await said('--limit', '1')).toBe(`${intro}rate_limited 1234, allowed 7.\n`);
    expect(await said('--outcome', 'allowed')).toBe(`${intro}allowed 7.\n`);
    expect(await said('--reason', 'rate_limited', '--to', at(60).toISOString())).toBe(
      `${intro}rate_limited 7.\n`,
    );
    expect(await said('--reason', 'quota_exceeded')).toBe('');
  });

  test('lets no caller control the terminal', async () => {
    const control = '\u001b[2J\u009b2J\u202e';
    await log(1, { path: `/v1/${control}`, requestId: control });
    for (const args of [[], ['--json']]) {
      const { stdout } = await requests(args);
      expect(stdout.trimEnd()).not.toMatch(/\p{Cc}/u);
    }
    const [line] = (await requests(['--json'])).stdout.trimEnd().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ path: `/v1/${control}`, requestId: control });
  });

  test.each([
    [['--key', mintApiKey(randomBytes).plaintext], "must be a key's id, or its prefix"],
    [['--from', 'yesterday'], 'must be an RFC 3339 date-time'],
    [['--limit', '0'], 'must be a whole number from 1 to 1000'],
    [['--follow', '--to', at(1).toISOString()], 'leave out --to'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await requests(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('ceiba requests --follow', () => {
  test('prints each new decision once, also one that is written after a newer one', async () => {
    const closed = new AbortController();
    let printed = '';
    const onStdout = (text: string) => {
      printed += text;
    };
    const shown = await log(10);
    const ended = requests(['--follow', '--json', '--reason', 'missing_api_key'], {
      closed: closed.signal,
      onStdout,
    });
    const isPrinted = (...ids: string[]) =>
      until(`${ids.length} are printed`, async () => ids.every((id) => printed.includes(id)));
    try {
      await isPrinted(shown);
      await log(11, { outcome: 'rate_limited' });
      const newer = await log(12);
      await isPrinted(newer);
      const older = await log(9);
      await isPrinted(older);
      const later = await log(300);
      await isPrinted(later);
      closed.abort();
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
      expect(idsIn(printed)).toEqual([shown, newer, older, later]);
    } finally {
      closed.abort();
      await ended;
    }
  });
});
