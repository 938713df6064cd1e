import { randomBytes } from 'node:crypto';
import { startDetecting } from '@ceiba/alerts/detection';
import type { DenialReason } from '@ceiba/contract';
import { ALERT_TYPES, type AlertType, CONFIRMATION } from '@ceiba/domain';
import {
  createCustomer,
  createDatabase,
  detectExpiringKeys,
  detectFailingDecisions,
  detectIdleKeys,
  detectNearlyUsedQuotas,
  detectPreviousProjectSecrets,
  detectPreviousSecrets,
  detectQuotaThresholds,
  detectUnusualDenials,
  detectUsedUpQuotas,
  recordDecisionFailures,
  recordUsage,
  removeOldAlerts,
  revokeApiKey,
  updateApiKey,
} from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { until } from '../../../support/until.ts';
import {
  contextOf,
  expectKind,
  flush,
  givePlan,
  makeKey,
  makeProject,
  useBench,
} from '../support.ts';
import { consent, makeDestination, queuedAlerts } from './support.ts';

const bench = useBench();
const NOW = new Date('2026-11-23T10:00:00Z');
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

/** Runs a detection at the same time in several processes, twice. */
async function detectInEight(detect: (db: { orm: typeof bench.db.orm }) => Promise<boolean>) {
  const processes = Array.from({ length: 8 }, () =>
    createDatabase(bench.url, { maxConnections: 1 }),
  );
  try {
    for (let round = 0; round < 2; round += 1) await Promise.all(processes.map(detect));
  } finally {
    await Promise.all(processes.map((db) => db.close()));
  }
}

describe('a threshold of the quota', () => {
  const setUp = async (used: number, monthlyQuota = 100) => {
    const { projectId, name } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { monthlyQuota });
    const destination = await makeDestination(bench.ctx, projectId);
    const use = (count: number) =>
      flush(bench.db, projectId, [{ at: '2026-11-02T00:00:00Z', count }]);
    await use(used);
    return { projectId, name, destination, use };
  };
  const thresholdsOf = async (projectId: string) =>
    (await queuedAlerts(bench.db, projectId)).map(({ data }) => data.threshold);

  it('is alerted once at 80 % and once at 100 %, whichever processes detect it', async () => {
    const { projectId, name, destination, use } = await setUp(79);
    await detectInEight((db) => detectQuotaThresholds(db, NOW));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await use(80);
    await detectInEight((db) => detectQuotaThresholds(db, NOW));
    const first = {
      type: 'quota.threshold_reached',
      data: {
        project: { id: projectId, name },
        threshold: 80,
        month: '2026-11',
        used: 80,
        monthlyQuota: 100,
      },
      destinationIds: [destination.destinationId],
    };
    expect(await queuedAlerts(bench.db, projectId)).toEqual([first]);
    await use(99);
    await detectInEight((db) => detectQuotaThresholds(db, NOW));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([first]);
    await use(100);
    await detectInEight((db) => detectQuotaThresholds(db, NOW));
    const second = { ...first, data: { ...first.data, threshold: 100, used: 100 } };
    expect(await queuedAlerts(bench.db, projectId)).toEqual([second, first]);
  });

  it('is alerted again for another quota, and not in a month without use', async () => {
    const { projectId } = await setUp(80);
    await detectQuotaThresholds(bench.db, NOW);
    await givePlan(bench.ctx, projectId, { monthlyQuota: 90 });
    await detectQuotaThresholds(bench.db, NOW);
    await detectQuotaThresholds(bench.db, new Date('2026-12-01T00:00:00Z'));
    expect(await thresholdsOf(projectId)).toEqual([80, 80]);
  });

  it('that the last calls of a month reached is alerted in the hour after it', async () => {
    const { projectId } = await setUp(80);
    await detectQuotaThresholds(bench.db, new Date('2026-12-01T01:00:00Z'));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await detectQuotaThresholds(bench.db, new Date('2026-12-01T00:59:59Z'));
    expect(await queuedAlerts(bench.db, projectId)).toMatchObject([{ data: { month: '2026-11' } }]);
  });

  it('is not alerted for a quota of 0, nor where no enabled destination wants it', async () => {
    const { projectId } = await setUp(10, 0);
    await detectQuotaThresholds(bench.db, NOW);
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    const other = await setUp(100);
    await bench.db.sql`update alert_destinations
      set event_types = '{api_key.expiring}' where project_id = ${other.projectId}`;
    await detectQuotaThresholds(bench.db, NOW);
    expect(await queuedAlerts(bench.db, other.projectId)).toEqual([]);
  });

  it("goes to every destination of its project that wants it, and to no other project's", async () => {
    const { projectId, destination } = await setUp(80);
    const mail = await makeDestination(bench.ctx, projectId, { kind: 'mail' });
    await consent(bench.db, projectId);
    await makeDestination(bench.ctx, projectId, { eventTypes: ['api_key.revoked'] });
    await setUp(0);
    await detectQuotaThresholds(bench.db, NOW);
    const alert = (await queuedAlerts(bench.db, projectId)).find(
      ({ type }) => type !== CONFIRMATION,
    );
    expect(alert?.destinationIds).toEqual([destination.destinationId, mail.destinationId].sort());
  });
});

describe('a key that expires', () => {
  const setUp = async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    await makeDestination(bench.ctx, projectId);
    const makeOld = async (expiresInHours: number) => {
      const key = await makeKey(bench.ctx, projectId, { expiresAt: inHours(expiresInHours) });
      await bench.db.sql`update api_keys set created_at = now() - interval '30 days'
        where id = ${key.apiKeyId}`;
      return key;
    };
    const alerts = async () =>
      (await queuedAlerts(bench.db, projectId)).map(({ data }) => [data.apiKeyId, data.withinDays]);
    return { projectId, makeOld, alerts };
  };

  it('is alerted once 7 days before and once 1 day before, whichever processes detect it', async () => {
    const { projectId, makeOld, alerts } = await setUp();
    const key = await makeOld(6 * 24);
    await makeOld(8 * 24);
    await detectInEight((db) => detectExpiringKeys(db));
    expect(await alerts()).toEqual([[key.apiKeyId, 7]]);
    await detectInEight((db) => detectExpiringKeys(db, inHours(5.5 * 24)));
    expect(
      (await alerts())
        .filter(([id]) => id === key.apiKeyId)
        .map(([, days]) => days)
        .sort(),
    ).toEqual([1, 7]);
    const [alert] = await queuedAlerts(bench.db, projectId);
    expect(Date.parse(String(alert?.data.expiresAt))).toBeGreaterThan(Date.now());
  });

  it('is alerted among many, a limited number at a time', async () => {
    const { projectId, makeOld } = await setUp();
    const { apiKeyId } = await makeOld(48);
    await bench.db.sql`
      insert into api_keys (project_id, display_name, key_prefix, key_digest, created_at, expires_at)
      select k.project_id, k.display_name, k.key_prefix, sha256(n::text::bytea), k.created_at,
        k.expires_at
      from api_keys k, generate_series(1, 2000) n where k.id = ${apiKeyId}`;
    const count = async () => (await queuedAlerts(bench.db, projectId)).length;
    expect([await detectExpiringKeys(bench.db), await count()]).toEqual([true, 1_000]);
    // One call after another, until none is left; the next run is minutes later.
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const detecting = startDetecting({ run: (work) => work(bench.db), log });
    try {
      await until('all are queued', async () => (await count()) === 2_001);
    } finally {
      await detecting.stop();
    }
    expect([await detectExpiringKeys(bench.db), await count()]).toEqual([false, 2_001]);
  });

  it('is alerted again after its expiry was moved', async () => {
    const { projectId, makeOld, alerts } = await setUp();
    const { apiKeyId } = await makeOld(48);
    await detectExpiringKeys(bench.db);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, expiresAt: inHours(72) });
    await detectExpiringKeys(bench.db);
    expect(await alerts()).toHaveLength(2);
  });

  it('is not alerted once it is revoked or expired, nor if it was to live for less', async () => {
    const { projectId, makeOld, alerts } = await setUp();
    await revokeApiKey(bench.ctx, await makeOld(5));
    await makeOld(-5);
    await makeKey(bench.ctx, projectId, { expiresAt: inHours(3) });
    await detectExpiringKeys(bench.db);
    expect(await alerts()).toEqual([]);
  });
});

describe('failing decisions', () => {
  const minuteOf = (text: string) => Date.parse(text) / 60_000;
  const setUp = async () => {
    const { projectId } = await makeProject(bench.ctx);
    await makeDestination(bench.ctx, projectId);
    await bench.db.sql`update alert_destinations set created_at = '2026-11-23T08:30:00Z'
      where project_id = ${projectId}`;
    const fail = (at: string, failed: number, cause = 'database') =>
      recordDecisionFailures(bench.db, [
        { projectId, minute: minuteOf(at), cause, incarnation: 'i', failed },
      ]);
    return { projectId, fail };
  };

  it('are alerted once per hour from five on, whichever processes detect them', async () => {
    const { projectId, fail } = await setUp();
    await fail('2026-11-23T09:10:00Z', 4);
    await detectInEight((db) => detectFailingDecisions(db, NOW));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await fail('2026-11-23T09:12:00Z', 1, 'redis');
    await detectInEight((db) => detectFailingDecisions(db, NOW));
    await fail('2026-11-23T09:13:00Z', 90);
    await detectInEight((db) => detectFailingDecisions(db, NOW));
    const alerts = await queuedAlerts(bench.db, projectId);
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({
      type: 'decisions.failing',
      data: { since: '2026-11-23T09:10:00Z', failed: 5, causes: ['database', 'redis'] },
    });
    await fail('2026-11-23T10:00:00Z', 5);
    await detectFailingDecisions(bench.db, NOW);
    expect(await queuedAlerts(bench.db, projectId)).toHaveLength(2);
  });

  it('from before the destination, or longer ago than a day, are not alerted', async () => {
    const { projectId, fail } = await setUp();
    await fail('2026-11-23T08:29:00Z', 50);
    await detectFailingDecisions(bench.db, NOW);
    await fail('2026-11-23T08:40:00Z', 50);
    await detectFailingDecisions(bench.db, new Date('2026-11-24T09:00:00Z'));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
  });

  it('of two numbers of a minute, as after a clock was set back, are added up', async () => {
    const { projectId } = await setUp();
    const minute = minuteOf('2026-11-23T09:10:00Z');
    const row = { projectId, minute, cause: 'redis', incarnation: 'i' };
    await recordDecisionFailures(bench.db, [
      { ...row, failed: 3 },
      { ...row, failed: 4 },
    ]);
    const rows = await bench.db.sql`select failed::int from decision_failures
      where project_id = ${projectId}`;
    expect([...rows]).toEqual([{ failed: 7 }]);
  });

  it('are counted once however often a total is written, and not for an unknown project', async () => {
    const { projectId, fail } = await setUp();
    for (const failed of [4, 4, 3]) await fail('2026-11-23T09:10:00Z', failed);
    await recordDecisionFailures(bench.db, [
      {
        projectId: '00000000-0000-4000-8000-000000000000',
        minute: minuteOf('2026-11-23T09:10:00Z'),
        cause: 'redis',
        incarnation: 'i',
        failed: 9,
      },
    ]);
    const rows = await bench.db.sql`select failed::int from decision_failures
      where project_id in (${projectId}, '00000000-0000-4000-8000-000000000000')`;
    expect([...rows]).toEqual([{ failed: 4 }]);
  });
});

describe('unusual denials', () => {
  const setUp = async () => {
    const { projectId, name } = await makeProject(bench.ctx);
    const destination = await makeDestination(bench.ctx, projectId, {
      eventTypes: ['denials.unusual'],
    });
    await bench.db.sql`update alert_destinations set created_at = '2026-11-23T08:30:00Z'
      where project_id = ${projectId}`;
    const deny = (at: string, count: number, outcome: DenialReason = 'policy_no_match') =>
      flush(bench.db, projectId, [{ at, count, outcome }]);
    const alerts = async () =>
      (await queuedAlerts(bench.db, projectId)).map(({ data }) => [data.status, data.hour]);
    return { projectId, name, destination, deny, alerts };
  };

  it('are alerted once, each status by itself, whichever processes detect them', async () => {
    const { projectId, name, destination, deny } = await setUp();
    await deny('2026-11-23T10:00:00Z', 49);
    await deny('2026-11-23T10:00:00Z', 49, 'rate_limited');
    await detectInEight((db) => detectUnusualDenials(db, NOW));
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await deny('2026-11-22T10:00:00Z', 140);
    await deny('2026-11-23T10:00:00Z', 60);
    await deny('2026-11-23T10:00:00Z', 50, 'missing_api_key');
    await detectInEight((db) => detectUnusualDenials(db, NOW));
    await deny('2026-11-23T10:00:00Z', 900);
    await detectInEight((db) => detectUnusualDenials(db, NOW));
    const alert = (status: number, denied: number, usual: number) => ({
      type: 'denials.unusual',
      data: {
        project: { id: projectId, name },
        status,
        hour: '2026-11-23T10:00:00Z',
        denied,
        usual,
      },
      destinationIds: [destination.destinationId],
    });
    expect(await queuedAlerts(bench.db, projectId)).toEqual([
      alert(401, 50, 0),
      alert(403, 60, 20),
    ]);
  });

  it('that last are alerted again as soon as six hours have passed, and not every hour', async () => {
    const { deny, alerts } = await setUp();
    const queued: number[] = [];
    for (let hour = 10; hour < 17; hour += 1) {
      await deny(`2026-11-23T${hour}:00:00Z`, 60);
      await detectUnusualDenials(bench.db, new Date(`2026-11-23T${hour}:01:00Z`));
      queued.push((await alerts()).length);
    }
    expect(queued).toEqual([1, 1, 1, 1, 1, 1, 2]);
    expect(await alerts()).toEqual([
      [403, '2026-11-23T10:00:00Z'],
      [403, '2026-11-23T16:00:00Z'],
    ]);
  });

  it('are alerted at once, although they were unusual before the destination', async () => {
    const { deny, alerts } = await setUp();
    await deny('2026-11-23T07:00:00Z', 60);
    await deny('2026-11-23T08:00:00Z', 60);
    await detectUnusualDenials(bench.db, new Date('2026-11-23T08:40:00Z'));
    expect(await alerts()).toEqual([[403, '2026-11-23T08:00:00Z']]);
  });

  it('from before the destination, or of a project without one, are not alerted', async () => {
    const { deny, alerts } = await setUp();
    const other = await makeProject(bench.ctx);
    await deny('2026-11-23T07:00:00Z', 60);
    const count = { count: 60, outcome: 'rate_limited' } as const;
    await flush(bench.db, other.projectId, [{ at: '2026-11-23T08:00:00Z', ...count }]);
    await detectUnusualDenials(bench.db, new Date('2026-11-23T08:40:00Z'));
    expect(await alerts()).toEqual([]);
    expect(await queuedAlerts(bench.db, other.projectId)).toEqual([]);
    await deny('2026-11-23T08:00:00Z', 60);
    await detectUnusualDenials(bench.db, new Date('2026-11-23T09:10:00Z'));
    expect(await alerts()).toEqual([[403, '2026-11-23T08:00:00Z']]);
  });
});

describe('a quota of a key or a customer', () => {
  it('is alerted once a period while it denies calls, whichever processes detect it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    await makeDestination(bench.ctx, projectId, {
      eventTypes: ['api_key.quota_used_up', 'customer.quota_used_up'],
    });
    const { customer } = expectKind(
      await createCustomer(bench.ctx, { projectId, externalId: 'acme', monthlyQuota: 20 }),
      'created',
    );
    const { customerId } = customer;
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
    await updateApiKey(bench.ctx, { projectId, apiKeyId, monthlyQuota: 10 });
    const use = (scope: string, count: number) =>
      recordUsage(bench.db, {
        months: [{ projectId, month: 2026 * 12 + 10, scope, incarnation: 'i', count }],
      });
    const denied = { at: '2026-11-23T09:00:00Z', count: 1, outcome: 'quota_exceeded' } as const;
    await use(customerId, 20);
    await use(apiKeyId, 9);
    await detectUsedUpQuotas(bench.db, NOW);
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await flush(bench.db, projectId, [{ ...denied, apiKeyId }]);
    await detectInEight((db) => detectUsedUpQuotas(db, NOW));
    const period = { period: 'month', used: 20, quota: 20 };
    const ofCustomer = {
      type: 'customer.quota_used_up',
      data: expect.objectContaining({ customerId, name: 'acme', ...period }),
    };
    expect(await queuedAlerts(bench.db, projectId)).toMatchObject([ofCustomer]);
    await use(apiKeyId, 10);
    await detectInEight((db) => detectUsedUpQuotas(db, NOW));
    await use(apiKeyId, 11);
    await detectInEight((db) => detectUsedUpQuotas(db, NOW));
    expect(await queuedAlerts(bench.db, projectId)).toMatchObject([
      {
        type: 'api_key.quota_used_up',
        data: { apiKeyId, displayName: 'Batch job', period: 'month', used: 10, quota: 10 },
      },
      ofCustomer,
    ]);
  });

  it('is alerted once a month from 80% on while it is used, whichever processes detect it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    await makeDestination(bench.ctx, projectId, {
      eventTypes: ['api_key.quota_nearly_used', 'customer.quota_nearly_used'],
    });
    const { customer } = expectKind(
      await createCustomer(bench.ctx, {
        projectId,
        externalId: 'acme',
        billingDay: 20,
        monthlyQuota: 20,
      }),
      'created',
    );
    const { customerId } = customer;
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId });
    const limits = { monthlyQuota: 10, dailyQuota: 1 };
    await updateApiKey(bench.ctx, { projectId, apiKeyId, ...limits });
    const use = (scope: string, count: number) =>
      recordUsage(bench.db, {
        months: [{ projectId, month: 2026 * 12 + 10, scope, incarnation: 'i', count }],
      });
    const detect = () => detectInEight((db) => detectNearlyUsedQuotas(db, NOW));
    const { apiKeyId: silent } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId: silent, ...limits });
    await use(silent, 9);
    // The flush counts one more.
    await use(apiKeyId, 6);
    await use(`${customerId}@20`, 15);
    await flush(bench.db, projectId, [{ at: '2026-11-23T09:00:00Z', count: 1, apiKeyId }]);
    await detect();
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await use(apiKeyId, 7);
    await use(`${customerId}@20`, 16);
    await detect();
    await use(apiKeyId, 10);
    await detect();
    expect(await queuedAlerts(bench.db, projectId)).toMatchObject([
      {
        type: 'api_key.quota_nearly_used',
        data: { apiKeyId, displayName: 'Batch job', period: 'month', used: 8, quota: 10 },
      },
      {
        type: 'customer.quota_nearly_used',
        data: { customerId, name: 'acme', period: 'month', used: 16, quota: 20 },
      },
    ]);
  });

  it('that the last calls of a day or a month used is alerted once in the hour after it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    await makeDestination(bench.ctx, projectId, {
      eventTypes: [
        'api_key.quota_used_up',
        'customer.quota_used_up',
        'api_key.quota_nearly_used',
        'customer.quota_nearly_used',
      ],
    });
    const { customer } = expectKind(
      await createCustomer(bench.ctx, {
        projectId,
        externalId: 'acme',
        billingDay: 24,
        monthlyQuota: 20,
      }),
      'created',
    );
    const { customerId } = customer;
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId, dailyQuota: 10 });
    const used = { projectId, incarnation: 'i' };
    const day = Date.parse('2026-11-23') / 86_400_000;
    await recordUsage(bench.db, {
      months: [{ ...used, month: 2026 * 12 + 9, scope: `${customerId}@24`, count: 20 }],
      days: [{ ...used, day, scope: `${apiKeyId}@0`, count: 10 }],
    });
    const at = '2026-11-23T23:00:00Z';
    await flush(bench.db, projectId, [
      { at, count: 1, apiKeyId },
      { at, count: 1, apiKeyId, outcome: 'quota_exceeded' },
    ]);
    for (const [time, alerts] of [
      ['01:00:00', []],
      ['00:59:59', ['day', 'month', 'month']],
      ['00:00:20', ['day', 'month', 'month']],
    ] as const) {
      const now = new Date(`2026-11-24T${time}Z`);
      await detectUsedUpQuotas(bench.db, now);
      await detectNearlyUsedQuotas(bench.db, now);
      const queued = await queuedAlerts(bench.db, projectId);
      expect(queued.map(({ data }) => data.period)).toEqual(alerts);
    }
  });
});

describe('a previous project secret', () => {
  it('is alerted once while it is used in its last hours', async () => {
    const previous = async (endsInHours: number, usedHoursAgo: number | null) => {
      const { projectId } = await makeProject(bench.ctx);
      await makeDestination(bench.ctx, projectId, { eventTypes: ['project.previous_secret_used'] });
      await bench.db.sql`update projects set previous_secret_digest = ${randomBytes(32)},
        previous_secret_expires_at = ${inHours(endsInHours).toISOString()},
        previous_secret_last_used_at = ${usedHoursAgo === null ? null : inHours(-usedHoursAgo).toISOString()}
        where id = ${projectId}`;
      return projectId;
    };
    const late = await previous(5.9, 0.9);
    const others = [
      await previous(6.1, 0.9),
      await previous(5.9, 1.1),
      await previous(5.9, null),
      await previous(-0.1, 0.1),
    ];
    await detectInEight((db) => detectPreviousProjectSecrets(db));
    await bench.db.sql`update projects set previous_secret_last_used_at = now() where id = ${late}`;
    await detectInEight((db) => detectPreviousProjectSecrets(db));
    expect(await queuedAlerts(bench.db, late)).toMatchObject([
      { data: { lastUsedAt: expect.any(String), validUntil: expect.any(String) } },
    ]);
    for (const projectId of others) expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
  });
});

describe('keys that need attention', () => {
  const setUp = async (type: 'api_key.idle' | 'api_key.previous_secret_used') => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    await makeDestination(bench.ctx, projectId, { eventTypes: [type] });
    const key = async (set: Record<string, unknown>) => {
      const { apiKeyId } = await makeKey(bench.ctx, projectId);
      await bench.db.sql`update api_keys set ${bench.db.sql(set)} where id = ${apiKeyId}`;
      return apiKeyId;
    };
    const alerted = async () =>
      (await queuedAlerts(bench.db, projectId)).map(({ data }) => data.apiKeyId);
    return { projectId, key, alerted };
  };
  const at = (days: number) => inHours(days * 24).toISOString();

  it('are alerted once when they become idle, and again after another use', async () => {
    const { projectId, key, alerted } = await setUp('api_key.idle');
    await bench.db.sql`update alert_destinations set created_at = now() - interval '5 days'
      where project_id = ${projectId}`;
    const used = await key({ created_at: at(-200), last_used_at: at(-91) });
    const unused = await key({ created_at: at(-92) });
    await key({ created_at: at(-200), last_used_at: at(-89) });
    await key({ created_at: at(-200), last_used_at: at(-99) });
    await key({ created_at: at(-92), status: 'revoked' });
    await detectInEight((db) => detectIdleKeys(db));
    expect((await alerted()).sort()).toEqual([used, unused].sort());
    await bench.db.sql`update api_keys set last_used_at = now() where id = ${used}`;
    await detectIdleKeys(bench.db, inHours(91 * 24));
    expect((await alerted()).filter((id) => id === used)).toHaveLength(2);
  });

  it('are alerted once while a replaced secret is used on its last day', async () => {
    const { key, alerted } = await setUp('api_key.previous_secret_used');
    const previous = (endsInDays: number, usedDaysAgo: number | null) => ({
      previous_digest: randomBytes(32),
      previous_prefix: 'ceiba_Before00',
      previous_expires_at: at(endsInDays),
      previous_last_used_at: usedDaysAgo === null ? null : at(-usedDaysAgo),
    });
    const late = await key(previous(0.9, 0.5));
    await key(previous(1.1, 0.5));
    await key(previous(0.9, 1.5));
    await key(previous(0.9, null));
    await key(previous(-0.1, 0.5));
    await detectInEight((db) => detectPreviousSecrets(db));
    await bench.db.sql`update api_keys set previous_last_used_at = now() where id = ${late}`;
    await detectInEight((db) => detectPreviousSecrets(db));
    expect(await alerted()).toEqual([late]);
  });
});

describe('an alert that was removed as old', () => {
  it('is not queued again, whatever was detected', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { monthlyQuota: 100 });
    const detected = (Object.keys(ALERT_TYPES) as AlertType[]).filter(
      (type) => !/\.(revoked|\w*rotated|changed)$/.test(type),
    );
    await makeDestination(bench.ctx, projectId, { eventTypes: detected });
    const at = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
    const { customer } = expectKind(
      await createCustomer(bench.ctx, { projectId, externalId: 'acme', monthlyQuota: 1 }),
      'created',
    );
    const { customerId } = customer;
    const { apiKeyId } = await makeKey(bench.ctx, projectId);
    await updateApiKey(bench.ctx, { projectId, apiKeyId, customerId, monthlyQuota: 1 });
    await bench.db.sql`update api_keys set created_at = ${at(-91).toISOString()},
      expires_at = ${at(6).toISOString()}, previous_digest = ${randomBytes(32)},
      previous_prefix = 'ceiba_Before00', previous_expires_at = ${at(0.2).toISOString()},
      previous_last_used_at = ${NOW.toISOString()} where id = ${apiKeyId}`;
    await bench.db.sql`update projects set previous_secret_digest = ${randomBytes(32)},
      previous_secret_expires_at = ${at(0.2).toISOString()},
      previous_secret_last_used_at = ${NOW.toISOString()} where id = ${projectId}`;
    await bench.db.sql`update alert_destinations set created_at = ${at(-2).toISOString()}
      where project_id = ${projectId}`;
    const counted = { projectId, incarnation: 'i' };
    await recordDecisionFailures(bench.db, [
      { ...counted, minute: NOW.getTime() / 60_000, cause: 'redis', failed: 5 },
    ]);
    await recordUsage(bench.db, {
      months: [{ ...counted, month: 2026 * 12 + 10, scope: customerId, count: 1 }],
    });
    await flush(bench.db, projectId, [
      { at: NOW.toISOString(), count: 100, apiKeyId },
      { at: NOW.toISOString(), count: 50, apiKeyId, outcome: 'quota_exceeded' },
    ]);
    const detectAll = async (now: Date) => {
      for (const detect of [
        detectExpiringKeys,
        detectFailingDecisions,
        detectIdleKeys,
        detectNearlyUsedQuotas,
        detectPreviousProjectSecrets,
        detectPreviousSecrets,
        detectQuotaThresholds,
        detectUnusualDenials,
        detectUsedUpQuotas,
      ]) {
        await detect(bench.db, now);
      }
      return new Set((await queuedAlerts(bench.db, projectId)).map(({ type }) => type));
    };
    expect(await detectAll(NOW)).toEqual(new Set(detected));
    await bench.db.sql`update alert_events set created_at = now() - interval '61 days'`;
    await removeOldAlerts(bench.db);
    expect(await detectAll(at(61))).toEqual(new Set());
  });
});

describe('the alert of a change', () => {
  it('commits with the change and its audit row, or not at all', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, {});
    const destination = await makeDestination(bench.ctx, projectId, {
      eventTypes: ['api_key.revoked'],
    });
    const key = await makeKey(bench.ctx, projectId);
    const undone = bench.db.orm.transaction(async (tx) => {
      await revokeApiKey(contextOf({ orm: tx }), key);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await queuedAlerts(bench.db, projectId)).toEqual([]);
    await revokeApiKey(bench.ctx, key);
    await revokeApiKey(bench.ctx, key);
    expect(await queuedAlerts(bench.db, projectId)).toEqual([
      {
        type: 'api_key.revoked',
        data: expect.objectContaining({
          actor: 'ceiba CLI',
          target: { id: key.apiKeyId, name: 'Batch job' },
          before: expect.objectContaining({ status: 'active' }),
          after: expect.objectContaining({ status: 'revoked' }),
        }),
        destinationIds: [destination.destinationId],
      },
    ]);
  });
});
