import { randomUUID } from 'node:crypto';
import type { Logger } from '@ceiba/process/log';
import { connect } from '../connect.ts';
import { auditOtlp } from './otlp.ts';
import { AuditStream } from './stream.ts';
import { type AuditWebhook, auditWebhook } from './webhook.ts';

export interface AuditStreamsOptions {
  databaseUrl: string;
  /** Of the process, as Postgres lists its connections. */
  applicationName: string;
  webhook: AuditWebhook | undefined;
  /** The whole address, such as `http://collector:4318/v1/logs`. */
  otlpUrl: string | undefined;
  log: Logger;
}

/** Streams the audit log to each destination that is set, until the process ends. */
export async function startAuditStreams(options: AuditStreamsOptions): Promise<void> {
  const { webhook, otlpUrl, log } = options;
  const destinations = [webhook && auditWebhook(webhook), otlpUrl && (await auditOtlp(otlpUrl))];
  const holder = randomUUID();
  for (const destination of destinations) {
    if (!destination) continue;
    new AuditStream({ destination, holder, run: connect(options, 1), log });
  }
}
