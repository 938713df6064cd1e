import { randomBytes } from 'node:crypto';
import { signingSecretText } from '@ceiba/alerts/sign';
import { expect, onTestFinished, test } from 'vitest';
import { verified } from '../../integration/alerts/support.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { startManagedConsole } from './support.ts';

test('the built console streams the audit log to each receiver that its settings name', async () => {
  const webhook = await startWebhookReceiver();
  onTestFinished(() => webhook.close());
  const otlp = await startOtlpReceiver();
  onTestFinished(() => otlp.close());
  const secret = signingSecretText(randomBytes(32));
  const managed = await startManagedConsole({
    AUDIT_WEBHOOK_URL: webhook.url,
    AUDIT_WEBHOOK_SECRET: secret,
    AUDIT_OTLP_ENDPOINT: `${otlp.url}/v1/logs`,
  });
  onTestFinished(() => managed.stop());
  const countStreams = async () => (await managed.db.sql`select 1 from audit_streams`).length;
  await until('both streams have started', async () => (await countStreams()) === 2, 60_000);
  const userId = await managed.user();
  await until('the webhook arrived', () => webhook.received.length > 0, 60_000);
  expect(verified(webhook.received[0]!, secret)).toMatchObject({
    type: 'audit.entry',
    data: { action: 'user.create', target: { kind: 'user', id: userId } },
  });
  await until('the log record arrived', () => otlp.logs.length > 0, 60_000);
  expect(otlp.logs[0]?.attributes).toMatchObject({
    'ceiba.audit.action': 'user.create',
    'ceiba.audit.target.id': userId,
  });
});
