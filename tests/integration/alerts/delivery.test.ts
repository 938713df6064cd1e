/** Alerts as their receivers see them, and what happens if a receiver or a process fails. */
import { parseNetworks } from '@ceiba/alerts/networks';
import { postWebhook } from '@ceiba/alerts/post-webhook';
import type { ResolveName } from '@ceiba/alerts/resolve-name';
import { signingSecretText } from '@ceiba/alerts/sign';
import { digestOf } from '@ceiba/domain';
import { createMailer } from '@ceiba/process/mail';
import {
  claimAlertDeliveries,
  confirmAlertMail,
  createDatabase,
  enableAlertDestination,
  getAlertDestination,
  listAudit,
  rotateSigningSecret,
  sendAlertAgain,
  sendTestAlert,
  unsubscribeAlertMail,
} from '@ceiba/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { claimAs, consent, makeDestination } from '../schema/alert/support.ts';
import { makeProject, useBench } from '../schema/support.ts';
import {
  deliveriesOf,
  endClaims,
  makeDue,
  makeWebhook,
  queueTest,
  type SenderOptions,
  startSender,
  untilDelivery,
  verified,
} from './support.ts';

const bench = useBench();
let receiver: WebhookReceiver;
const stops: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await receiver.close();
  for (const stop of stops.splice(0).reverse()) await stop();
});

const send = (options: SenderOptions = {}) => {
  const sender = startSender(bench, options);
  stops.push(() => sender.stop());
  return sender;
};

describe('a webhook', () => {
  it('has a body and a signature that the standardwebhooks library accepts', async () => {
    const hook = await makeWebhook(bench, `${receiver.url}?token=1`);
    await queueTest(bench.ctx, hook);
    send();
    const { eventId, createdAt } = await untilDelivery(
      bench,
      hook,
      'is recorded',
      ({ status }) => status === 'delivered',
    );
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?token=1' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': eventId,
    });
    expect(verified(request!, hook.secret)).toEqual({
      type: 'alert.test',
      timestamp: createdAt.toISOString(),
      data: { project: { id: hook.projectId, name: hook.name } },
    });
    expect(() => verified({ ...request!, body: `${request!.body} ` }, hook.secret)).toThrow();
  });

  it('is signed by the secret before a rotation as well', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    const next = Buffer.alloc(24, 7);
    await rotateSigningSecret(bench.ctx, { ...hook, signingSecret: next });
    await queueTest(bench.ctx, hook);
    send();
    await until('it arrives', () => receiver.received.length === 1);
    const [request] = receiver.received;
    expect(verified(request!, hook.secret)).toEqual(verified(request!, signingSecretText(next)));
  });

  it('is sent once, however many processes send', async () => {
    const hooks = await Promise.all(
      Array.from({ length: 10 }, () => makeWebhook(bench, receiver.url)),
    );
    for (const hook of hooks) for (let n = 0; n < 5; n += 1) await queueTest(bench.ctx, hook);
    for (let n = 0; n < 8; n += 1) send();
    await until('all are delivered', async () => {
      const lists = await Promise.all(hooks.map((hook) => deliveriesOf(bench, hook)));
      return lists.flat().every(({ status }) => status === 'delivered');
    });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(50);
    expect(new Set(ids).size).toBe(50);
  });

  it('is claimed by one of many processes that read the queue at the same time', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    const processes = Array.from({ length: 8 }, () =>
      createDatabase(bench.url, { maxConnections: 1 }),
    );
    stops.push(() => Promise.all(processes.map((db) => db.close())));
    await queueTest(bench.ctx, hook);
    for (let round = 0; round < 25; round += 1) {
      const claims = await Promise.all(
        processes.map((db) => claimAlertDeliveries(db, claimAs({ most: 1 }))),
      );
      expect(claims.flat()).toHaveLength(1);
      await bench.db.sql`update alert_deliveries set claimed_until = null, attempts = 0
        where destination_id = ${hook.destinationId}`;
      await endClaims(bench, hook);
    }
    await bench.db.sql`delete from alert_destinations where id = ${hook.destinationId}`;
  });

  it('is sent again with the same id and body if its process ends before it is recorded', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    // The answer arrives, and the process gets no further.
    const dying = send({
      around: (make) => async (delivery, options) => {
        await make(delivery, options);
        throw new Error('the process ends');
      },
    });
    await until('it arrives', () => receiver.received.length === 1);
    await dying.stop();
    send();
    // Claimed until a minute has passed.
    await bench.db.sql`update alert_deliveries set claimed_until = now()
      where destination_id = ${hook.destinationId}`;
    await endClaims(bench, hook);
    const delivery = await untilDelivery(
      bench,
      hook,
      'is recorded',
      ({ status }) => status === 'delivered',
    );
    const [first, second, ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(delivery.attempts).toBe(2);
  });

  it('is not claimed by another process while an attempt is under way', async () => {
    receiver.answer = 'never';
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    await queueTest(bench.ctx, hook);
    send({ timeoutMs: 60_000 });
    await until('it arrives', () => receiver.received.length === 1);
    send();
    const other = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, other);
    // Once the other process has read the queue, it has passed over the first.
    await until('the other arrives', () => receiver.received.length === 2);
    expect(receiver.received[1]?.body).toContain(other.projectId);
    await receiver.close();
  });
});

describe('a receiver that fails', () => {
  const failed = async (hook: { projectId: string; destinationId: string }) =>
    untilDelivery(bench, hook, 'has failed', ({ lastError }) => lastError !== null);

  it.each([
    [500, 'it answered 500'],
    [404, 'it answered 404'],
    [302, 'it answered 302; redirects are not followed'],
  ])('with %i gets the alert again, and its words are not kept', async (status, error) => {
    receiver.answer = status;
    receiver.headers = { location: `${receiver.url}/elsewhere` };
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    const sender = send();
    const delivery = await failed(hook);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, lastStatus: status });
    expect(delivery.lastError).toBe(error);
    expect(delivery.nextAttemptAt?.getTime()).toBeGreaterThan(delivery.lastAttemptAt!.getTime());
    expect(receiver.received).toHaveLength(1);
    receiver.answer = 200;
    await makeDue(bench, hook);
    await untilDelivery(bench, hook, 'is delivered', (now) => now.status === 'delivered');
    expect(receiver.received[1]?.headers['webhook-id']).toBe(delivery.eventId);
    const rows = await bench.db.sql`select to_jsonb(d) as row from alert_deliveries d`;
    expect(JSON.stringify(rows) + sender.log()).not.toContain('a secret of the receiver');
  });

  it.each([
    ['reset', 'the connection was closed without an answer'],
    ['never', 'no answer within 0.3 seconds'],
  ] as const)('with %s is an attempt that failed', async (answer, error) => {
    receiver.answer = answer;
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    send({ timeoutMs: 300 });
    expect(await failed(hook)).toMatchObject({ lastStatus: null, lastError: error });
  });

  it('by switching to another protocol is an attempt that failed', async () => {
    receiver.answer = 101;
    receiver.headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    send({ timeoutMs: 60_000 });
    expect((await failed(hook)).lastError).toBe('the connection was closed without an answer');
  });

  it('in a way that never ends frees its place, which the log reports', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    const sender = send({ around: () => () => new Promise(() => {}), attemptMs: 50 });
    await until('the place is free', () => sender.log().includes('it is made again'));
    await sender.stop();
  });

  it('by not listening is an attempt that failed', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    await receiver.close();
    await queueTest(bench.ctx, hook);
    send();
    expect((await failed(hook)).lastError).toBe('the connection was refused');
  });

  it('with an endless answer has accepted the alert, of whose answer little is read', async () => {
    receiver.answer = 'endless';
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    send();
    await untilDelivery(bench, hook, 'is delivered', ({ status }) => status === 'delivered');
  });

  it('with 410 gets no further alerts, which the audit log records', async () => {
    receiver.answer = 410;
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    await queueTest(bench.ctx, hook);
    send();
    await until('it is disabled', async () => {
      const found = await getAlertDestination(bench.db, hook);
      return found?.disabledReason === 'gone';
    });
    expect((await deliveriesOf(bench, hook)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
    ]);
    expect(receiver.received).toHaveLength(1);
    expect((await queueTest(bench.ctx, hook)).kind).toBe('disabled');
    const { items } = await listAudit(bench.db, {
      ownerId: null,
      projectId: hook.projectId,
      actions: ['alert_destination.disable'],
      limit: 10,
    });
    expect(items).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'system' }),
        after: { disabledReason: 'gone' },
      }),
    ]);
  });

  it('for three days is disabled, and one success begins again', async () => {
    receiver.answer = 503;
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    send();
    await failed(hook);
    const fail = async (since: string) => {
      await bench.db.sql`update alert_destinations
        set failing_since = now() - ${since}::interval where id = ${hook.destinationId}`;
      const { attempts } = (await deliveriesOf(bench, hook))[0]!;
      await makeDue(bench, hook);
      await untilDelivery(
        bench,
        hook,
        'is tried again',
        (now) => now.attempts > attempts && now.nextAttemptAt?.getTime() !== 0,
      );
    };
    await fail('2 days 23 hours');
    await until('the attempt is recorded', async () => {
      const [row] = await bench.db.sql`select claimed_until from alert_deliveries
        where destination_id = ${hook.destinationId}`;
      return row?.claimed_until === null;
    });
    expect(await getAlertDestination(bench.db, hook)).toMatchObject({ disabledReason: null });
    await fail('3 days 1 minute');
    await until('it is disabled', async () => {
      const found = await getAlertDestination(bench.db, hook);
      return found?.disabledReason === 'failing';
    });
    receiver.answer = 200;
    await enableAlertDestination(bench.ctx, hook);
    await queueTest(bench.ctx, hook);
    await untilDelivery(bench, hook, 'is delivered', ({ status }) => status === 'delivered');
    expect(await getAlertDestination(bench.db, hook)).toMatchObject({ failingSince: null });
  });

  it('ten times has lost the alert, until a user sends it again', async () => {
    receiver.answer = 500;
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    await bench.db.sql`update alert_deliveries set attempts = 9
      where destination_id = ${hook.destinationId}`;
    send();
    const lost = await untilDelivery(bench, hook, 'is lost', ({ status }) => status === 'failed');
    expect(lost).toMatchObject({ attempts: 10, nextAttemptAt: null });
    receiver.answer = 204;
    const { deliveryId } = lost;
    expect((await sendAlertAgain(bench.ctx, { ...hook, deliveryId })).kind).toBe('queued');
    await untilDelivery(bench, hook, 'is delivered', ({ status }) => status === 'delivered');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([lost.eventId, lost.eventId]);
  });

  it('has lost an alert whose last attempt did not end', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    await bench.db.sql`update alert_deliveries set attempts = 10, claimed_until = now()
      where destination_id = ${hook.destinationId}`;
    send();
    const lost = await untilDelivery(bench, hook, 'is lost', ({ status }) => status === 'failed');
    expect(lost).toMatchObject({ attempts: 10, lastError: 'the last attempt did not end' });
    expect(receiver.received).toEqual([]);
  });

  it('slowly takes few places, however many destinations of its project it is', async () => {
    receiver.answer = 'never';
    const { projectId } = await makeProject(bench.ctx);
    for (let n = 0; n < 6; n += 1) {
      await queueTest(
        bench.ctx,
        await makeDestination(bench.ctx, projectId, { address: receiver.url }),
      );
    }
    send({ timeoutMs: 60_000 });
    send({ timeoutMs: 60_000 });
    await until('some are under way', () => receiver.received.length >= 4);
    const fast = await startWebhookReceiver();
    stops.push(() => fast.close());
    const other = await makeWebhook(bench, fast.url);
    for (let n = 0; n < 3; n += 1) await queueTest(bench.ctx, other);
    await until('the other has all', () => fast.received.length === 3);
    expect(receiver.received).toHaveLength(4);
    await receiver.close();
  });

  it('slowly delays no other receiver', async () => {
    const fast = await startWebhookReceiver();
    stops.push(() => fast.close());
    receiver.answer = 'never';
    const slow = await makeWebhook(bench, receiver.url);
    for (let n = 0; n < 8; n += 1) await queueTest(bench.ctx, slow);
    send({ timeoutMs: 60_000 });
    await until('the slow one is asked', () => receiver.received.length === 1);
    const other = await makeWebhook(bench, fast.url);
    for (let n = 0; n < 3; n += 1) await queueTest(bench.ctx, other);
    await until('the other has all', () => fast.received.length === 3);
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });
});

describe('a private address', () => {
  it('gets no request, and the history says why', async () => {
    const hook = await makeWebhook(bench, receiver.url);
    await queueTest(bench.ctx, hook);
    send({ allowsLoopback: false });
    const { lastError } = await untilDelivery(
      bench,
      hook,
      'has failed',
      (delivery) => delivery.lastError !== null,
    );
    expect(lastError).toContain('private');
    expect(receiver.received).toEqual([]);
  });

  const post = (resolve: ResolveName, protocol = 'http', networks = '192.0.2.0/24') =>
    postWebhook(
      { url: `${protocol}://rebind.example:${receiver.port}/`, headers: {}, body: '{}' },
      { allowedNetworks: parseNetworks(networks) ?? [], timeoutMs: 5_000, resolve },
    );
  /** Answers with the next list each time, as a name server that rebinds does. */
  const resolvingTo = (...lists: string[][]) => {
    let asked = 0;
    const resolve: ResolveName = async () => {
      const list = lists[Math.min(asked, lists.length - 1)] ?? [];
      asked += 1;
      return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    return { resolve, asked: () => asked };
  };

  it.each(['http', 'https'])('behind a name gets no request by %s', async (protocol) => {
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1', '169.254.169.254']) {
      await expect(post(resolvingTo([address]).resolve, protocol)).rejects.toThrow('private');
    }
    expect(receiver.received).toEqual([]);
  });

  it('is not reached by a name that resolves to a permitted address first', async () => {
    // Nothing listens on 127.0.0.2; the receiver listens on 127.0.0.1.
    const rebinding = resolvingTo(['127.0.0.2'], ['127.0.0.1']);
    await expect(post(rebinding.resolve, 'http', '127.0.0.2/32')).rejects.toThrow('refused');
    expect(rebinding.asked()).toBe(1);
    const mixed = resolvingTo(['127.0.0.1', '127.0.0.2']);
    await expect(post(mixed.resolve, 'http', '127.0.0.2/32')).rejects.toThrow('refused');
    expect(receiver.received).toEqual([]);
    expect(await post(resolvingTo(['127.0.0.1']).resolve, 'http', '127.0.0.1/32')).toBe(204);
  });
});

describe('an alert by mail', () => {
  const mailTo = async (options: SenderOptions) => {
    const { projectId, name } = await makeProject(bench.ctx);
    await consent(bench.db, projectId);
    const ref = await makeDestination(bench.ctx, projectId, { kind: 'mail' });
    await queueTest(bench.ctx, ref);
    return { ...ref, name, sender: send(options) };
  };

  it('arrives, with a link to the console', async () => {
    const smtp = await startSmtpReceiver();
    stops.push(() => smtp.close());
    const mailer = createMailer({ url: smtp.url, from: 'ceiba@example.com' });
    const mail = await mailTo({ mailer });
    const { eventId } = await untilDelivery(
      bench,
      mail,
      'is delivered',
      ({ status }) => status === 'delivered',
    );
    expect(smtp.mails).toEqual([
      expect.objectContaining({
        to: ['ops@example.com'],
        headers: expect.objectContaining({
          subject: '[Ceiba] a test',
          'list-unsubscribe': expect.stringMatching(
            /^<https:\/\/console\.example\.com\/api\/alert-mail\/ceiba_mail_\w{49}>$/,
          ),
          'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
          'message-id': `<${eventId}@example.com>`,
        }),
        text: expect.stringContaining(
          `https://console.example.com/projects/${mail.projectId}/alerts`,
        ),
      }),
    ]);
  });

  it('is sent only while its address wants it: confirmed by a mail, until it unsubscribes', async () => {
    const smtp = await startSmtpReceiver();
    stops.push(() => smtp.close());
    const { projectId } = await makeProject(bench.ctx);
    const address = 'team@example.com';
    const ref = await makeDestination(bench.ctx, projectId, { kind: 'mail', address });
    send({ mailer: createMailer({ url: smtp.url, from: 'ceiba@example.com' }) });
    expect(await sendTestAlert(bench.ctx, ref)).toEqual({ kind: 'unconfirmed' });
    const untilMails = (count: number) =>
      until(`${count} mails arrived`, () => smtp.mails.length === count);
    const tokenOf = (index: number) => {
      const [token = ''] = /ceiba_mail_\w{49}/.exec(smtp.mails[index]?.text ?? '') ?? [];
      return digestOf(token);
    };
    await untilMails(1);
    expect(smtp.mails[0]?.headers.subject).toBe('[Ceiba] Confirm alerts to this address');
    expect(await confirmAlertMail(bench.ctx, tokenOf(0))).toEqual({ kind: 'confirmed' });
    expect(await queueTest(bench.ctx, ref)).toEqual({ kind: 'queued' });
    await untilMails(2);
    expect(smtp.mails[1]?.headers.subject).toBe('[Ceiba] a test');
    expect(await unsubscribeAlertMail(bench.ctx, tokenOf(1))).toEqual({ kind: 'unsubscribed' });
    expect(await queueTest(bench.ctx, ref)).toEqual({ kind: 'unconfirmed' });
    // Its own link, and no one else, can undo that.
    expect(await confirmAlertMail(bench.ctx, tokenOf(1))).toEqual({ kind: 'confirmed' });
    expect(await queueTest(bench.ctx, ref)).toEqual({ kind: 'queued' });
    await untilMails(3);
  });

  it('that takes too long is an attempt that failed', async () => {
    const smtp = await startSmtpReceiver();
    stops.push(() => smtp.close());
    smtp.answer = 'never';
    const mailer = createMailer({ url: smtp.url, from: 'ceiba@example.com' });
    const mail = await mailTo({ mailer, mailMs: 100 });
    expect(
      await untilDelivery(bench, mail, 'has failed', ({ lastError }) => lastError !== null),
    ).toMatchObject({ status: 'pending', lastError: 'it did not end within 0.1 seconds' });
  });

  it('is tried again if the mail server refuses it or is not set', async () => {
    const smtp = await startSmtpReceiver();
    stops.push(() => smtp.close());
    smtp.answer = 451;
    const refused = await mailTo({
      mailer: createMailer({ url: smtp.url, from: 'ceiba@example.com' }),
    });
    expect(
      await untilDelivery(bench, refused, 'has failed', ({ lastError }) => lastError !== null),
    ).toMatchObject({ status: 'pending', lastStatus: 451, lastError: 'it answered 451' });
    await refused.sender.stop();
    const off = await mailTo({});
    expect(
      await untilDelivery(bench, off, 'has failed', ({ lastError }) => lastError !== null),
    ).toMatchObject({ status: 'pending', lastError: 'mail is off: SMTP_URL is not set' });
  });
});
