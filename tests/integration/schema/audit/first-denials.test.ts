import type { DenialReason } from '@ceiba/contract/sets';
import {
  causesOf,
  changeThatDenied,
  type DecisionToWrite,
  describeApiKey,
  disableApiKey,
  enableApiKey,
  listAudit,
  readFirstDenials,
  revokeApiKey,
  suspendCustomer,
  updateApiKey,
  writeDecisions,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { makeCustomer } from '../customer/support.ts';
import { decisionAt } from '../decision-log/support.ts';
import { givePlan, makeKey, makeProject, useBench } from '../support.ts';

const bench = useBench();
const LONG_AGO = new Date(Date.now() - 86_400_000);

async function makeScene() {
  const { projectId } = await makeProject(bench.ctx);
  await givePlan(bench.ctx, projectId, { activeKeyCap: 9 });
  const { apiKeyId } = await makeKey(bench.ctx, projectId);
  return { projectId, apiKeyId };
}

/** The changes of some targets, newest first, each with an hour of its own: the first the oldest. */
async function changesOf(projectId: string, targetIds: string[], hour = (index: number) => index) {
  const { items } = await listAudit(bench.db, { ownerId: null, projectId, targetIds, limit: 20 });
  const count = items.length;
  return items.map((row, index) => ({ ...row, at: at(hour(count - 1 - index)) }));
}

const START = Date.now() - 20 * 3_600_000;
const at = (hour: number) => new Date(START + hour * 3_600_000);

async function record(projectId: string, decisions: [number, Partial<DecisionToWrite>][]) {
  const rows = decisions.map(([hour, fields]) => decisionAt(projectId, at(hour), fields));
  await writeDecisions(bench.db, { decisions: rows, gaps: [] });
  return rows.map(({ decisionId }) => decisionId);
}

/** The first denials by action and the hour of their change. */
async function firstDenials(
  projectId: string,
  changes: Awaited<ReturnType<typeof changesOf>>,
  since = LONG_AGO,
) {
  const found = await readFirstDenials(bench.db, { projectId, causes: causesOf(changes), since });
  return Object.fromEntries(
    changes.flatMap(({ auditId, action, at: changedAt }) => {
      const denial = found.get(auditId);
      const hour = Math.round((changedAt.getTime() - START) / 3_600_000);
      return denial ? [[`${action} ${hour}`, denial.decisionId]] : [];
    }),
  );
}

test('a change of a key is paired with the first denial that it explains, until the next such change', async () => {
  const { projectId, apiKeyId } = await makeScene();
  const key = { projectId, apiKeyId };
  await updateApiKey(bench.ctx, { ...key, rateLimitPerMinute: 1 });
  await disableApiKey(bench.ctx, key);
  await enableApiKey(bench.ctx, key);
  await describeApiKey(bench.ctx, { ...key, displayName: 'Renamed', note: '' });
  await disableApiKey(bench.ctx, key);
  await revokeApiKey(bench.ctx, key);
  const changes = await changesOf(projectId, [apiKeyId]);
  expect(changes.map(({ action }) => action)).toEqual([
    'api_key.revoke',
    'api_key.disable',
    'api_key.update',
    'api_key.enable',
    'api_key.disable',
    'api_key.set_limits',
    'api_key.create',
  ]);
  const limited = { apiKeyId, outcome: 'rate_limited', limitWindow: 'minute' } as const;
  const disabled = {
    apiKeyId,
    outcome: 'expired_api_key',
    denialDetail: 'disabled',
  } as const;
  const revoked = { apiKeyId, outcome: 'revoked_api_key' } as const;
  const ids = await record(projectId, [
    [0.5, { ...limited, limitOwner: 'api_key', limitValue: 9 }],
    [1.2, { ...limited, limitOwner: 'plan', limitValue: 9 }],
    [1.5, { ...limited, limitOwner: 'api_key', limitValue: 1 }],
    [1.7, { ...limited, limitOwner: 'api_key', limitValue: 1 }],
    [5.1, { apiKeyId, outcome: 'expired_api_key', denialDetail: 'expired' }],
    [5.4, disabled],
    [6.2, revoked],
    [6.3, revoked],
  ]);
  expect(await firstDenials(projectId, changes)).toEqual({
    'api_key.set_limits 1': ids[2],
    'api_key.disable 5': ids[5],
    'api_key.revoke 6': ids[6],
  });
  expect(await firstDenials(projectId, changes, at(5.5))).toEqual({ 'api_key.revoke 6': ids[6] });
  const other = await makeProject(bench.ctx);
  expect(await firstDenials(other.projectId, changes)).toEqual({});
});

test('a change of a customer is paired with the first denial of any of its keys', async () => {
  const { projectId, apiKeyId } = await makeScene();
  const { customerId } = await makeCustomer(bench.ctx, projectId);
  await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
  await suspendCustomer(bench.ctx, { projectId, customerId });
  const changes = await changesOf(projectId, [customerId]);
  const denial = { apiKeyId, customerId, outcome: 'inactive_subscription' } as const;
  const ids = await record(projectId, [
    [1.1, { ...denial, denialDetail: 'past_due' }],
    [1.3, { ...denial, denialDetail: 'customer_suspended' }],
    [1.4, { ...denial, customerId: null, denialDetail: 'customer_suspended' }],
  ]);
  expect(await firstDenials(projectId, changes)).toEqual({ 'customer.suspend 1': ids[1] });
});

test('a change of one key ends nothing of another', async () => {
  const { projectId, apiKeyId } = await makeScene();
  const other = await makeKey(bench.ctx, projectId);
  const keys = [apiKeyId, other.apiKeyId];
  await revokeApiKey(bench.ctx, { projectId, apiKeyId });
  await revokeApiKey(bench.ctx, { projectId, apiKeyId: other.apiKeyId });
  const changes = await changesOf(projectId, keys);
  const [, , first] = changes.map(({ target }) => target.id).reverse();
  expect(first).toBe(apiKeyId);
  const ids = await record(projectId, [[3.5, { apiKeyId, outcome: 'revoked_api_key' }]]);
  expect(await firstDenials(projectId, changes)).toEqual({ 'api_key.revoke 2': ids[0] });
});

test('no denial is reported as none where the log left some out that a known key can have had', async () => {
  const { projectId, apiKeyId } = await makeScene();
  await revokeApiKey(bench.ctx, { projectId, apiKeyId });
  const causes = causesOf(await changesOf(projectId, [apiKeyId]));
  const { id } = causes[0]!;
  const find = async () => [
    ...(await readFirstDenials(bench.db, { projectId, causes, since: LONG_AGO })),
  ];
  const leaveOut = (outcome: DenialReason | 'allowed', minute: Date) =>
    bench.db.sql`
      insert into decision_gaps (project_id, minute, outcome, incarnation, left_out)
      values (${projectId}, date_trunc('minute', ${minute.toISOString()}::timestamptz, 'UTC'), ${outcome}, 'i', 1)`;
  await leaveOut('revoked_api_key', at(0.9));
  await leaveOut('allowed', at(2));
  await leaveOut('invalid_api_key', at(2));
  expect(await find()).toEqual([[id, null]]);
  // In the minute of the change.
  await leaveOut('revoked_api_key', at(1));
  expect(await find()).toEqual([]);
  const [decisionId] = await record(projectId, [[3, { apiKeyId, outcome: 'revoked_api_key' }]]);
  expect(await find()).toEqual([[id, expect.objectContaining({ decisionId })]]);
});

describe('a recorded denial names the change that can have denied it', () => {
  const none = {
    outcome: 'policy_no_match',
    denialDetail: null,
    limitOwner: null,
    apiKeyId: 'key',
    customerId: 'customer',
  } as const;
  const byKey = (action: string) => ({ action, targetId: 'key' });
  const byCustomer = (action: string) => ({ action, targetId: 'customer' });

  test.each([
    [{ outcome: 'revoked_api_key' }, byKey('api_key.revoke')],
    [{ outcome: 'archived_api_key' }, byKey('api_key.archive')],
    [{ outcome: 'expired_api_key', denialDetail: 'disabled' }, byKey('api_key.disable')],
    [{ outcome: 'expired_api_key', denialDetail: 'expired' }, byKey('api_key.set_expiry')],
    [{ denialDetail: 'scope' }, byKey('api_key.set_scopes')],
    [{ outcome: 'rate_limited', limitOwner: 'api_key' }, byKey('api_key.set_limits')],
    [{ denialDetail: 'customer_suspended' }, byCustomer('customer.suspend')],
    [{ denialDetail: 'plan_scope' }, byCustomer('customer.update')],
    [{ outcome: 'quota_exceeded', limitOwner: 'customer_plan' }, byCustomer('customer.update')],
    [{ denialDetail: 'customer_suspended', customerId: null }, null],
    [{ outcome: 'rate_limited', limitOwner: 'plan' }, null],
    [{}, null],
  ] as const)('%j', (denied, change) => {
    expect(changeThatDenied({ ...none, ...denied })).toEqual(change);
  });
});
