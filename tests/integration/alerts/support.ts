import { randomBytes } from 'node:crypto';
import { attempt } from '@ceiba/alerts/attempt';
import { parseNetworks } from '@ceiba/alerts/networks';
import { AlertSender } from '@ceiba/alerts/sender';
import { signingSecretText } from '@ceiba/alerts/sign';
import type { Mailer } from '@ceiba/process/mail';
import {
  type AlertDelivery,
  type AlertDestinationRef,
  listAlertDeliveries,
  sendTestAlert,
  type VerbContext,
} from '@ceiba/schema';
import { Webhook } from 'standardwebhooks';
import { until } from '../../support/until.ts';
import type { ReceivedWebhook } from '../../support/webhook-receiver.ts';
import { makeDestination } from '../schema/alert/support.ts';
import { type Bench, makeProject } from '../schema/support.ts';

const LOOPBACK = parseNetworks('127.0.0.0/8') ?? [];

export interface SenderOptions {
  mailer?: Mailer;
  timeoutMs?: number;
  mailMs?: number;
  attemptMs?: number;
  placeMs?: number;
  allowsLoopback?: boolean;
  /** Changes what an attempt does, as an outage would. */
  around?: (make: typeof attempt) => typeof attempt;
}

export interface LogLine {
  level: string;
  text: string;
}

/** A process that sends alerts, with what it logged. */
export function startSender(bench: Bench, options: SenderOptions = {}) {
  const { mailer, timeoutMs = 15_000, mailMs = 45_000, attemptMs = 50_000 } = options;
  const { allowsLoopback = true, around = (make) => make } = options;
  const lines: string[] = [];
  const log = (...parts: unknown[]) =>
    void lines.push(
      parts.map((part) => (part instanceof Error ? part.stack : JSON.stringify(part))).join(' '),
    );
  const make = around(attempt);
  const sender = new AlertSender({
    run: (work) => work(bench.db),
    attempt: (delivery) =>
      make(delivery, {
        mailer,
        allowedNetworks: allowsLoopback ? LOOPBACK : [],
        consoleUrl: 'https://console.example.com',
        timeoutMs,
        mailMs,
        random: () => 0,
        now: () => new Date(),
      }),
    log: { info: log, warn: log, error: log },
    pollMs: 20,
    attemptMs,
    ...(options.placeMs !== undefined && { placeMs: options.placeMs }),
  });
  return { stop: () => sender.stop(), log: () => lines.join('\n') };
}

/** A webhook of a new project, with its signing secret as its user has it. */
export async function makeWebhook(bench: Bench, address: string, owner?: string) {
  const { projectId, name } = await makeProject(bench.ctx, owner);
  const ref = await makeDestination(bench.ctx, projectId, { address });
  const secret = randomBytes(24);
  await bench.db.sql`update alert_destinations set signing_secret = ${secret}
    where id = ${ref.destinationId}`;
  return { ...ref, name, secret: signingSecretText(secret) };
}

export const queueTest = (ctx: VerbContext, ref: AlertDestinationRef) => sendTestAlert(ctx, ref);

export async function deliveriesOf(
  bench: Bench,
  { projectId, destinationId }: AlertDestinationRef,
): Promise<AlertDelivery[]> {
  const page = { projectId, destinationId, limit: 100 };
  return (await listAlertDeliveries(bench.db, page)).items;
}

/** Waits until the newest delivery of a destination is as expected, and returns it. */
export async function untilDelivery(
  bench: Bench,
  ref: AlertDestinationRef,
  what: string,
  isSo: (delivery: AlertDelivery) => boolean,
): Promise<AlertDelivery> {
  let found: AlertDelivery | undefined;
  await until(`the delivery ${what}`, async () => {
    [found] = await deliveriesOf(bench, ref);
    return found !== undefined && isSo(found);
  });
  if (found === undefined) throw new Error('no delivery');
  return found;
}

/** Makes a retry due now, instead of after its pause. */
export const makeDue = (bench: Bench, { destinationId }: AlertDestinationRef) =>
  bench.db.sql`update alert_deliveries set next_attempt_at = now()
    where destination_id = ${destinationId} and status = 'pending'`;

/** Frees the places of attempts whose process ended, as a minute does. */
export const endClaims = (bench: Bench, { destinationId }: AlertDestinationRef) =>
  bench.db.sql`update alert_attempts set ends_at = now() where destination_id = ${destinationId}`;

/** The body, if the receiver's library accepts the signature. @throws otherwise */
export const verified = ({ body, headers }: ReceivedWebhook, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
