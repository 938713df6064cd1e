import { timeOfDecision } from '@ceiba/domain';
import { type NewDecision, toLoggedDecision } from '@ceiba/schema';
import type { Attributes } from '@opentelemetry/api';
import type { LogRecord } from '@opentelemetry/api-logs';
import type { LogRecordProcessor, ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { otelResource } from '../otel-resource.ts';

/** Where decisions are sent to. */
export interface DecisionReceiver {
  /** Resolves when the receiver has them. @throws Error after the retries of the SDK */
  send(decisions: readonly NewDecision[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the OTLP exporter of the OpenTelemetry SDK (HTTP, protobuf), which reads its settings from
 * the standard variables. The SDK is loaded here, so that a Runtime without it pays nothing.
 */
export async function openOtlp(): Promise<DecisionReceiver> {
  const { OTLPLogExporter } = await import('@opentelemetry/exporter-logs-otlp-proto');
  const { LoggerProvider } = await import('@opentelemetry/sdk-logs');
  const exporter = new OTLPLogExporter();
  const collected = new Collector();
  const resource = await otelResource();
  const logger = new LoggerProvider({ resource, processors: [collected] }).getLogger('ceiba');
  return {
    send(decisions) {
      for (const decision of decisions) logger.emit(logRecordOf(decision));
      return new Promise((resolve, reject) => {
        exporter.export(collected.take(), ({ code, error }) => {
          if (code === SUCCESS) resolve();
          else reject(error ?? new Error('the receiver of the decision log refused'));
        });
      });
    },
    close: () => exporter.shutdown(),
  };
}

/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;

/** Keeps what the SDK makes of each record until it is sent: the SDK's own queue counts no losses. */
class Collector implements LogRecordProcessor {
  #records: ReadableLogRecord[] = [];

  take(): ReadableLogRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  onEmit(record: ReadableLogRecord): void {
    this.#records.push(record);
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** `SeverityNumber.INFO`: a denial is no error of the Runtime. */
const INFO = 9;

function logRecordOf(decision: NewDecision): LogRecord {
  const at = timeOfDecision(decision.decisionId) ?? new Date();
  const { method, path, outcome } = decision;
  return {
    eventName: 'ceiba.decision',
    timestamp: at,
    severityNumber: INFO,
    severityText: 'INFO',
    body: `${outcome} ${method} ${path ?? ''}`.trimEnd(),
    attributes: attributesOf(decision, at),
  };
}

/** Names of OpenTelemetry's semantic conventions where there is one. */
function attributesOf(decision: NewDecision, at: Date): Attributes {
  const { projectId, ...record } = decision;
  const { limits, exceededLimit } = toLoggedDecision({ ...record, at });
  const attributes = {
    'http.request.method': record.method,
    'url.path': record.path,
    'ceiba.project.id': projectId,
    'ceiba.decision.id': record.decisionId,
    'ceiba.decision.outcome': record.outcome,
    'ceiba.decision.denial_detail': record.denialDetail,
    'ceiba.decision.latency_ms': record.latencyMs,
    'ceiba.request.id': record.requestId,
    'ceiba.api_key.id': record.apiKeyId,
    'ceiba.api_key.prefix': record.keyPrefix,
    'ceiba.policy.id': record.policyId,
    'ceiba.limits.rate_per_minute': limits?.rateLimitPerMinute,
    'ceiba.limits.monthly_quota': limits?.monthlyQuota,
    'ceiba.limits.remaining_this_minute': limits?.remainingThisMinute,
    'ceiba.limits.remaining_this_month': limits?.remainingThisMonth,
    'ceiba.exceeded_limit.owner': exceededLimit?.owner,
    'ceiba.exceeded_limit.window': exceededLimit?.window,
    'ceiba.exceeded_limit.value': exceededLimit?.value,
  };
  const known = Object.entries(attributes).filter(([, value]) => value != null);
  return Object.fromEntries(known) as Attributes;
}
