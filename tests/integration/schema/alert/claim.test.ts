import { MAILS_PER_HOUR, TESTS_PER_HOUR } from '@ceiba/domain';
import {
  claimAlertDeliveries,
  deleteAlertDestination,
  detectQuotaThresholds,
  removeOldAlerts,
  rotateSigningSecret,
  sendTestAlert,
  updateAlertDestination,
} from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { contextOf, flush, givePlan, makeProject, useBench } from '../support.ts';
import { type MadeDestination, makeDestination, queuedAlerts } from './support.ts';

const bench = useBench();

const claim = () => claimAlertDeliveries(bench.db, { most: 20, claimSeconds: 60 });
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

  it('are at most four of a project, whichever processes claim', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const all = [1, 2, 3, 4, 5, 6].map(() => makeDestination(bench.ctx, projectId));
    for (const made of all) await sendTestAlert(bench.ctx, await made);
    const first = await claimAlertDeliveries(bench.db, { most: 3, claimSeconds: 60 });
    expect([first.length, (await claim()).length, (await claim()).length]).toEqual([3, 1, 0]);
    await stop({ projectId, destinationId: '' });
  });
});

describe('mail', () => {
  it('beyond the most of an hour waits, and is sent later', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const mail = await makeDestination(bench.ctx, projectId, { kind: 'mail' });
    await queue(mail, MAILS_PER_HOUR);
    await bench.db.sql`update alert_deliveries set status = 'delivered', attempts = 1,
      last_attempt_at = now() where destination_id = ${mail.destinationId}`;
    await sendTestAlert(bench.ctx, mail);
    expect(await claim()).toEqual([]);
    await bench.db.sql`update alert_deliveries set last_attempt_at = now() - interval '61 minutes'
      where destination_id = ${mail.destinationId} and status = 'delivered'`;
    expect(await claim()).toHaveLength(1);
    await stop(mail);
  });

  it('as a test is counted by project, also after its destination is deleted', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const first = await makeDestination(bench.ctx, projectId, { kind: 'mail' });
    for (let n = 0; n < TESTS_PER_HOUR; n += 1) {
      expect(await sendTestAlert(bench.ctx, first)).toEqual({ kind: 'queued' });
    }
    await deleteAlertDestination(bench.ctx, first);
    const second = await makeDestination(bench.ctx, projectId, { kind: 'mail' });
    expect(await sendTestAlert(bench.ctx, second)).toEqual({ kind: 'too_many' });
    const elsewhere = await makeWebhook();
    expect(await sendTestAlert(bench.ctx, elsewhere)).toEqual({ kind: 'queued' });
    await stop(elsewhere);
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
      updateAlertDestination(bench.ctx, { ...hook, address, description, eventTypes: [] });
    await bench.db.sql`update alert_destinations set failing_since = now()
      where id = ${hook.destinationId}`;
    await change('https://hooks.example.com/t/secret-token', 'renamed');
    expect(await failingSince()).not.toBeNull();
    await change('https://other.example.com/', 'renamed');
    expect(await failingSince()).toBeNull();
  });
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
    expect(await removeOldAlerts(bench.db)).toBe(true);
    expect(await left()).toEqual({ events: before - 5_000, failures: 0 });
    expect(await removeOldAlerts(bench.db)).toBe(false);
    expect((await left())?.events).toBe(before - 5_001);
  });
});
