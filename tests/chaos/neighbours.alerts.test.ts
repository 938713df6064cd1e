/** Users share the process that sends alerts: what one of them does must not hold up those of others. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeWebhook,
  queueTest,
  startSender,
  untilDelivery,
} from '../integration/alerts/support.ts';
import { makeDestination } from '../integration/schema/alert/support.ts';
import { makeOwner, makeProject, useBench } from '../integration/schema/support.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const bench = useBench();
/** Takes every connection and answers none. */
let silent: WebhookReceiver;
let answering: WebhookReceiver;
let stop: () => Promise<unknown>;

beforeEach(async () => {
  silent = await startWebhookReceiver();
  silent.answer = 'never';
  answering = await startWebhookReceiver();
});
afterEach(async () => {
  await Promise.all([silent.close(), answering.close()]);
  await stop();
});

/** Longer than a test waits for a delivery, so that none of the silent ones ends meanwhile. */
const SILENCE_MS = 45_000;

/** A new project with four silent webhooks, each with an alert that waits. */
async function addSilentProject(owner: string): Promise<void> {
  const { projectId } = await makeProject(bench.ctx, owner);
  for (let n = 0; n < 4; n += 1) {
    await queueTest(
      bench.ctx,
      await makeDestination(bench.ctx, projectId, { address: silent.url }),
    );
  }
}

async function makeNeighbour() {
  const hook = await makeWebhook(bench, answering.url);
  await queueTest(bench.ctx, hook);
  return hook;
}

const delivered = (hook: Parameters<typeof untilDelivery>[1]) =>
  untilDelivery(bench, hook, 'is delivered', ({ status }) => status === 'delivered');

async function countDelivered(): Promise<number | undefined> {
  const [row] = await bench.db.sql<{ count: number }[]>`
    select count(*)::int as count from alert_deliveries where status <> 'pending'`;
  return row?.count;
}

describe('an alert is delivered while every attempt of its neighbours waits for an answer', () => {
  it('of one owner who has six projects with four silent webhooks each', async () => {
    const owner = await makeOwner(bench.ctx);
    for (let n = 0; n < 6; n += 1) await addSilentProject(owner);
    const sender = startSender(bench, { timeoutMs: SILENCE_MS, placeMs: SILENCE_MS });
    stop = () => sender.stop();
    await until('the silent receiver has the first', () => silent.received.length > 0);
    await delivered(await makeNeighbour());
    expect(await countDelivered()).toBe(1);
    expect(silent.received).toHaveLength(4);
  });

  it('of so many owners that their silent webhooks fill every place', async () => {
    const before = (await countDelivered()) ?? 0;
    for (let n = 0; n < 6; n += 1) await addSilentProject(await makeOwner(bench.ctx));
    const sender = startSender(bench, { timeoutMs: SILENCE_MS, placeMs: 50 });
    stop = () => sender.stop();
    await until('the silent receiver has the first', () => silent.received.length > 0);
    await delivered(await makeNeighbour());
    expect(await countDelivered()).toBe(before + 1);
    await until('every silent webhook has its attempt', () => silent.received.length === 24);
  });
});
