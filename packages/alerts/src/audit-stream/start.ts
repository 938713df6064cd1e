import { randomUUID } from 'node:crypto';
import type { Logger } from '@ceiba/process/log';
import { type ConnectOptions, connect } from '../connect.ts';
import { auditOtlp } from './otlp.ts';
import { type AuditDestination, AuditStream } from './stream.ts';
import { type AuditWebhook, auditWebhook } from './webhook.ts';

export interface AuditStreamsOptions extends ConnectOptions {
  webhook: AuditWebhook | undefined;
  /** The whole address, such as `http://collector:4318/v1/logs`. */
  otlpUrl: string | undefined;
  log: Logger;
}

/** Streams the audit log to each destination that is set, until the process ends; each starts by itself. */
export async function startAuditStreams(options: AuditStreamsOptions): Promise<void> {
  const { webhook, otlpUrl, log } = options;
  const holder = randomUUID();
  const start = async (
    name: AuditDestination['name'],
    open: () => AuditDestination | Promise<AuditDestination>,
  ) => {
    try {
      const destination = await open();
      new AuditStream({ destination, holder, run: connect(options, 1), log });
    } catch (error) {
      log.error({ err: error }, `the audit log is not streamed by ${name}`);
    }
  };
  await Promise.all([
    webhook && start('webhook', () => auditWebhook(webhook)),
    otlpUrl && start('otlp', () => auditOtlp(otlpUrl, log)),
  ]);
}
