import type { Logger } from '@ceiba/process/log';
import type { StreamedEntry } from '@ceiba/schema';
import type { DiagLogger } from '@opentelemetry/api';
import type { LogRecord } from '@opentelemetry/api-logs';
import type { LogRecordExporter, ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { AuditDestination } from './stream.ts';

const PER_REQUEST = 100;
const TIMEOUT_MS = 15_000;
/** `SeverityNumber.INFO`. */
const INFO = 9;
/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;

/**
 * Sends entries as log records of OpenTelemetry, over OTLP (HTTP, protobuf). Headers, certificates and
 * attributes of the resource are those of the standard variables. The SDK is loaded here, so that a
 * process without it pays nothing.
 */
export async function auditOtlp(
  url: string,
  log: Pick<Logger, 'warn' | 'error'>,
): Promise<AuditDestination> {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  const { LoggerProvider } = await import('@opentelemetry/sdk-logs');
  const { OTLPLogExporter } = await import('@opentelemetry/exporter-logs-otlp-proto');
  const { detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  diag.setLogger(diagnosticsTo(log), DiagLogLevel.WARN);
  const exporter = new OTLPLogExporter({ url, timeoutMillis: TIMEOUT_MS });
  const resource = resourceFromAttributes({ 'service.name': 'ceiba' }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const emitted: ReadableLogRecord[] = [];
  // Not the batch processor of the SDK, which forgets what it cannot deliver.
  const collect = {
    onEmit: (record: ReadableLogRecord) => void emitted.push(record),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const logger = new LoggerProvider({ resource, processors: [collect] }).getLogger('ceiba');
  return {
    name: 'otlp',
    perRequest: PER_REQUEST,
    async send(entries) {
      for (const entry of entries) logger.emit(recordOf(entry));
      await exported(exporter, emitted.splice(0));
    },
  };
}

/**
 * The SDK's own messages. It counts an answer that rejects some entries as delivered, as the protocol
 * wants, and says it only here.
 */
function diagnosticsTo(log: Pick<Logger, 'warn' | 'error'>): DiagLogger {
  const report = (...parts: unknown[]) => {
    const problem = parts.join(' ').slice(0, PROBLEM_LENGTH_MAX);
    const rejected = Number(REJECTED_RECORDS.exec(problem)?.[1] ?? 0);
    if (rejected > 0) log.error({ rejected, problem }, REJECTED);
    else log.warn({ problem }, 'OpenTelemetry has a problem with the stream of the audit log');
  };
  const ignore = () => {};
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
}

const REJECTED_RECORDS = /"rejectedLogRecords":(\d+)/;
const REJECTED =
  'the receiver of AUDIT_OTLP_ENDPOINT rejected entries of the audit log; they are not sent again';
const PROBLEM_LENGTH_MAX = 500;

const exported = (exporter: LogRecordExporter, records: ReadableLogRecord[]): Promise<void> =>
  new Promise((resolve, reject) => {
    exporter.export(records, ({ code, error }) =>
      code === SUCCESS ? resolve() : reject(error ?? new Error('the receiver refused the entries')),
    );
  });

/** Names of OpenTelemetry's semantic conventions where there is one. */
function recordOf(entry: StreamedEntry): LogRecord {
  const { actor, target, action } = entry;
  const attributes = {
    'ceiba.audit.id': entry.auditId,
    'ceiba.audit.delivery_id': entry.deliveryId,
    'ceiba.audit.action': action,
    'ceiba.audit.actor.kind': actor.kind,
    'ceiba.audit.actor.label': actor.label,
    'ceiba.audit.actor.token.id': actor.tokenId,
    'ceiba.audit.actor.token.name': actor.tokenName,
    'ceiba.audit.target.kind': target.kind,
    'ceiba.audit.target.id': target.id,
    'ceiba.audit.target.label': target.label,
    'ceiba.audit.before': jsonOf(entry.before),
    'ceiba.audit.after': jsonOf(entry.after),
    'ceiba.owner.id': entry.ownerId,
    'ceiba.project.id': entry.projectId,
    'ceiba.request.id': entry.requestId,
    'client.address': entry.clientAddress,
    'user.id': actor.userId,
  };
  const known = Object.entries(attributes).filter(
    (attribute): attribute is [string, string | number] => attribute[1] !== null,
  );
  return {
    eventName: 'ceiba.audit',
    timestamp: entry.at,
    severityNumber: INFO,
    severityText: 'INFO',
    body: `${actor.label} ${action} ${target.label ?? target.id}`,
    attributes: Object.fromEntries(known),
  };
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
