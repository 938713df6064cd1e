import { MAILS_PER_ADDRESS_HOUR, MAILS_PER_OWNER_HOUR } from '@ceiba/domain';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  claimAlertDeliveries,
  deleteAlertDestination,
  deleteProject,
  detectQuotaThresholds,
  getAlertDestination,
  recordAttempt,
  removeOldAlerts,
  rotateSigningSecret,
  sendTestAlert,
  updateAlertDestination,
} from '@ceiba/schema';
import { describe, expect, it, test } from 'vitest';
import { contextOf, flush, givePlan, makeOwner, makeProject, useBench } from '../support.ts';
import {
  claimAs,
  consent,
  type MadeDestination,
  makeDestination,
  queuedAlerts,
} from './support.ts';

const bench = useBench();

const claim = () => claimAlertDeliveries(bench.db, claimAs());
const makeWebhook = async () =>
  makeDestination(bench.ctx, (await makeProject(bench.ctx)).projectId);
const stop = ({ projectId }: MadeDestination) =>
  bench.db.sql`delete from alert_events where project_id = ${projectId}`;

/** Writes alerts to a destination as if they had been queued an hour ago. */
const queue = ({ projectId, destinationId }: MadeDestination, count: number) => bench.db.sql`
  with event as (
    insert into alert_events (project_id, type, subject, data)
    select ${projectId}, 'api_key.revoked', n::text, '{}' from generate_series(1, ${count}::int) n
    returning id
  )
  insert into alert_deliveries (event_id, destination_id, next_attempt_at)
  select id, ${destinationId}, now() - interval '1 hour' from event`;

describe('the places of a process', () => {
  it('go to every destination that waits, however long the queue of one is', async () => {
    const [long, short] = [await makeWebhook(), await makeWebhook()];
    await queue(long, 600);
    await sendTestAlert(bench.ctx, short);
    const claimed = await claim();
    expect(claimed.map(({ destinationId }) => destinationId)).toEqual(
      expect.arrayContaining([long.destinationId, short.destinationId]),
    );
    expect(claimed).toHaveLength(2);
    expect(await claim()).toEqual([]);
    await Promise.all([stop(long), stop(short)]);
  });

  it('are at most four of an owner in all projects, and four more for receivers that failed', async () => {
    const owner = await makeOwner(bench.ctx);
    const made: MadeDestination[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { projectId } = await makeProject(bench.ctx, owner);
      made.push(await makeDestination(bench.ctx, projectId));
      made.push(await makeDestination(bench.ctx, projectId, { description: 'failing' }));
    }
    await bench.db.sql`update alert_destinations set failing_since = now()
      where description = 'failing'`;
    for (const destination of made) await sendTestAlert(bench.ctx, destination);
    const first = await claimAlertDeliveries(bench.db, claimAs({ most: 3 }));
    const working = made.filter((_, index) => index % 2 === 0).map((one) => one.destinationId);
    expect(first.every(({ destinationId }) => working.includes(destinationId))).toBe(true);
    expect([first.length, (await claim()).length, (await claim()).length]).toEqual([3, 5, 0]);
    for (const one of made) await stop(one);
  });

  it('go next to the owner whose attempts took least time, whatever was deleted since', async () => {
    const [busy, quiet] = [await makeOwner(bench.ctx), await makeOwner(bench.ctx)];
    const hookOf = async (owner: string) => {
      const { projectId } = await makeProject(bench.ctx, owner);
      const hook = await makeDestination(bench.ctx, projectId);
      await sendTestAlert(bench.ctx, hook);
      return hook;
    };
    const remove = async ({ projectId }: MadeDestination) => {
      const [row] = await bench.db.sql`select name from projects where id = ${projectId}`;
      await deleteProject(bench.ctx, { projectId, name: row!.name });
    };
    const one = claimAs({ most: 1 });
    const first = await hookOf(busy);
    expect(await claimAlertDeliveries(bench.db, one)).toMatchObject([first]);
    await remove(first);
    const [second, neighbours] = [await hookOf(busy), await hookOf(quiet)];
    expect(await claimAlertDeliveries(bench.db, one)).toMatchObject([neighbours]);
    expect(await claimAlertDeliveries(bench.db, one)).toMatchObject([second]);
    await Promise.all([stop(second), stop(neighbours)]);
  });

  it('are taken in turns by owners who have many alerts', async () => {
    const hooks: MadeDestination[] = [];
    for (const owner of [await makeOwner(bench.ctx), await makeOwner(bench.ctx)]) {
      for (let n = 0; n < 2; n += 1) {
        const { projectId } = await makeProject(bench.ctx, owner);
        hooks.push(await makeDestination(bench.ctx, projectId));
      }
    }
    for (const hook of hooks) await sendTestAlert(bench.ctx, hook);
    const claimed = await claimAlertDeliveries(bench.db, claimAs({ most: 2 }));
    expect(claimed.map(({ destinationId }) => destinationId).sort()).toEqual(
      [hooks[0]!.destinationId, hooks[2]!.destinationId].sort(),
    );
    for (const hook of hooks) await stop(hook);
  });
});

describe('mail', () => {
  const makeMail = async (owner: string, address: string) => {
    const { projectId } = await makeProject(bench.ctx, owner);
    await consent(bench.db, projectId, address);
    return makeDestination(bench.ctx, projectId, { kind: 'mail', address });
  };
  /** Mails of the last hour; `alert_mails` has no foreign keys. */
  const sent = (owner: string, address: string, count: number) => bench.db.sql`
    insert into alert_mails (token_digest, purpose, owner_id, project_id, address_digest)
    select sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'alert', ${owner},
      gen_random_uuid(), sha256(convert_to(${address}::text, 'UTF8'))
    from generate_series(1, ${count}::int)`;
  const hourLater = () =>
    bench.db.sql`update alert_mails set sent_at = now() - interval '61 minutes'`;

  it('to an address beyond the most of an hour waits, whichever user sent the others, also if all was deleted', async () => {
    const [first, second] = [await makeOwner(bench.ctx), await makeOwner(bench.ctx)];
    const gone = await makeMail(first, 'busy@example.com');
    await sendTestAlert(bench.ctx, gone);
    expect(await claim()).toHaveLength(1);
    await bench.db.sql`delete from users where id = ${first}`.catch(() => {});
    await deleteAlertDestination(bench.ctx, gone);
    await sent(first, 'busy@example.com', MAILS_PER_ADDRESS_HOUR - 2);
    const mails = [
      await makeMail(second, 'Busy@example.com'),
      await makeMail(second, 'busy@example.com'),
    ];
    for (const mail of mails) await sendTestAlert(bench.ctx, mail);
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    await hourLater();
    expect(await claim()).toHaveLength(1);
    for (const mail of mails) await stop(mail);
  });

  it('of an owner beyond the most of an hour waits, whatever the address; webhooks do not', async () => {
    const owner = await makeOwner(bench.ctx);
    await sent(owner, 'anyone@example.com', MAILS_PER_OWNER_HOUR);
    const mail = await makeMail(owner, 'someone@example.com');
    const hook = await makeDestination(bench.ctx, (await makeProject(bench.ctx, owner)).projectId);
    for (const to of [mail, hook]) await sendTestAlert(bench.ctx, to);
    expect(await claim()).toMatchObject([{ destinationId: hook.destinationId }]);
    await hourLater();
    expect(await claim()).toMatchObject([{ destinationId: mail.destinationId }]);
    for (const to of [mail, hook]) await stop(to);
  });
});

describe('tests', () => {
  it('are limited per owner, also after the destination and its project are deleted', async () => {
    const owner = await makeOwner(bench.ctx);
    const test = async (projectId: string) =>
      (await sendTestAlert(bench.ctx, await makeDestination(bench.ctx, projectId))).kind;
    const first = await makeProject(bench.ctx, owner);
    const kinds: string[] = [];
    for (let n = 0; n < 10; n += 1) kinds.push(await test(first.projectId));
    expect(new Set(kinds)).toEqual(new Set(['queued']));
    await deleteProject(bench.ctx, first);
    const second = await makeProject(bench.ctx, owner);
    expect(await test(second.projectId)).toBe('limited');
    const neighbour = await makeProject(bench.ctx);
    expect(await test(neighbour.projectId)).toBe('queued');
    await stop({ projectId: neighbour.projectId, destinationId: '' });
  });
});

describe('a change of a destination', () => {
  it('does not hold up the alerts that are queued for it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await givePlan(bench.ctx, projectId, { monthlyQuota: 1 });
    const hook = await makeDestination(bench.ctx, projectId);
    const now = new Date('2026-11-23T10:00:00Z');
    await flush(bench.db, projectId, [{ at: '2026-11-02T00:00:00Z', count: 1 }]);
    await bench.db.orm.transaction(async (tx) => {
      const signingSecret = Buffer.alloc(24);
      await rotateSigningSecret(contextOf({ orm: tx }), { ...hook, signingSecret });
      await detectQuotaThresholds(bench.db, now);
    });
    expect(await queuedAlerts(bench.db, projectId)).toHaveLength(2);
  });

  it('of its address forgets that the previous one failed; any other change does not', async () => {
    const hook = await makeWebhook();
    const failingSince = async () => {
      const [row] = await bench.db.sql`select failing_since as since from alert_destinations
        where id = ${hook.destinationId}`;
      return row?.since;
    };
    const change = (address: string, description: string) =>
      updateAlertDestination(bench.ctx, {
        ...hook,
        address,
        description,
        eventTypes: ['api_key.revoked'],
        problemOfUrl: () => null,
      });
    await bench.db.sql`update alert_destinations set failing_since = now()
      where id = ${hook.destinationId}`;
    await change('https://hooks.example.com/t/secret-token', 'renamed');
    expect(await failingSince()).not.toBeNull();
    await change('https://other.example.com/', 'renamed');
    expect(await failingSince()).toBeNull();
  });

  it('of its address gives no weight to a late answer of the previous one', async () => {
    const hook = await makeWebhook();
    const record = async (delivery: ClaimedDelivery | undefined, outcome: AttemptOutcome) => {
      expect(await recordAttempt(bench.ctx, delivery!, outcome)).toEqual({ isDisabled: false });
      return getAlertDestination(bench.db, hook);
    };
    const claimOne = async () =>
      (await claim()).find(({ destinationId }) => destinationId === hook.destinationId);
    const move = (address: string) =>
      updateAlertDestination(bench.ctx, {
        ...hook,
        address,
        description: '',
        eventTypes: ['api_key.revoked'],
        problemOfUrl: () => null,
      });
    await sendTestAlert(bench.ctx, hook);
    const first = await claimOne();
    await move('https://second.example.com/');
    const gone = await record(first, {
      kind: 'failed',
      status: 410,
      error: 'it answered 410',
      isGone: true,
      retryAfterSeconds: null,
    });
    expect(gone).toMatchObject({ disabledReason: null, failingSince: null });
    const second = await claimOne();
    expect(second).toMatchObject({ ...hook, address: 'https://second.example.com/' });
    await move('https://third.example.com/');
    await bench.db.sql`update alert_destinations set failing_since = now()
      where id = ${hook.destinationId}`;
    const after = await record(second, { kind: 'delivered', status: 204 });
    expect(after?.failingSince).not.toBeNull();
    expect(await claimOne()).toBeUndefined();
  });
});

test('a destination is stored as its URL is normalised, and refused with every rule that it breaks', async () => {
  const hook = await makeWebhook();
  const change = (written: { address: string; eventTypes: 'api_key.revoked'[] }) =>
    updateAlertDestination(bench.ctx, {
      ...hook,
      ...written,
      description: '',
      problemOfUrl: (url) => (url.startsWith('https://') ? null : 'must begin with https://'),
    });
  await expect(change({ address: 'http://example.com', eventTypes: [] })).rejects.toMatchObject({
    problems: [
      { field: 'eventTypes', rule: 'must hold at least one alert' },
      { field: 'address', rule: 'must begin with https://' },
    ],
  });
  await change({ address: ' https://EXAMPLE.com ', eventTypes: ['api_key.revoked'] });
  const [row] = await bench.db.sql`
    select address from alert_destinations where id = ${hook.destinationId}`;
  expect(row).toEqual({ address: 'https://example.com/' });
});

describe('the removal of old alerts', () => {
  it('takes a limited number at a time, and returns whether there is more', async () => {
    const hook = await makeWebhook();
    await queue(hook, 5_001);
    await bench.db.sql`update alert_events set created_at = now() - interval '61 days'
      where project_id = ${hook.projectId}`;
    await bench.db
      .sql`insert into decision_failures (project_id, minute, cause, incarnation, failed)
      values (${hook.projectId}, now() - interval '8 days', 'redis', 'i', 1)`;
    await sendTestAlert(bench.ctx, hook);
    const left = async () => {
      const [row] = await bench.db.sql`
        select (select count(*)::int from alert_events) as events,
          (select count(*)::int from decision_failures) as failures
        where exists (select from alert_destinations where id = ${hook.destinationId})`;
      return row;
    };
    const before = (await left())?.events;
    expect(await removeOldAlerts(bench.db)).toEqual({ isComplete: false });
    expect(await left()).toEqual({ events: before - 5_000, failures: 0 });
    expect(await removeOldAlerts(bench.db)).toEqual({ isComplete: true });
    expect((await left())?.events).toBe(before - 5_001);
  });
});
