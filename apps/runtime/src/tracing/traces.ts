import type { Logger } from '@ceiba/process/log';
import { within } from '@ceiba/schema';
import type { Settings } from '../env.ts';
import { otelResource } from '../otel-resource.ts';
import { DecisionTrace } from './decision-trace.ts';

/** Begins a trace per call. */
export interface Traces {
  /**
   * @param traceparent as the caller sent it; where it is malformed, a new trace begins
   * @returns null for a call that is not sampled
   */
  begin(name: string, traceparent: unknown): DecisionTrace | null;
  /** Sends what waits, for at most two seconds. Never rejects. */
  stop(): Promise<void>;
}

/** `SpanKind.SERVER`. */
const SERVER = 1;
/** As many as a batch has questions. */
const EVENTS_MAX = 256;
/** How long a Runtime that stops waits for the receiver, in ms. */
const STOP_BUDGET_MS = 2_000;
/** How often the log has a message of the SDK, in ms. */
const REPORT_EVERY_MS = 60_000;

/**
 * Opens the tracing of the OpenTelemetry SDK (OTLP over HTTP, protobuf), which reads its settings from
 * the standard variables. Spans wait in a bounded queue, and are sent in batches. The SDK is loaded
 * here, so that a Runtime without it pays nothing.
 */
export async function openTraces(
  { OTEL_TRACES_SAMPLER: sampler }: Pick<Settings, 'OTEL_TRACES_SAMPLER'>,
  log: Pick<Logger, 'warn'>,
): Promise<Traces> {
  const { diag, DiagLogLevel, ROOT_CONTEXT, trace, TraceFlags } = await import(
    '@opentelemetry/api'
  );
  const { parseTraceParent } = await import('@opentelemetry/core');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  diag.setLogger(diagnosticsTo(log), DiagLogLevel.WARN);
  const provider = new BasicTracerProvider({
    resource: await otelResource(),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    spanLimits: { eventCountLimit: EVENTS_MAX },
  });
  const tracer = provider.getTracer('ceiba');
  const followsCaller = sampler === undefined || sampler.startsWith('parentbased_');
  return {
    begin(name, traceparent) {
      const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
      const isSampledByCaller = parent === null || (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
      // The SDK would say the same, for ten times the CPU time.
      if (followsCaller && !isSampledByCaller) return null;
      // Its `tracestate` is left out: text that the caller chose would reach the receiver.
      const from = parent && trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
      const epochMs = Date.now() - performance.now();
      const options = { kind: SERVER, startTime: epochMs + performance.now() };
      const span = tracer.startSpan(name, options, from ?? ROOT_CONTEXT);
      if (!span.isRecording()) return null;
      const context = trace.setSpan(ROOT_CONTEXT, span);
      return new DecisionTrace({ tracer, span, context, epochMs });
    },
    stop: () =>
      within(
        STOP_BUDGET_MS,
        provider.shutdown(),
        () => new Error('the receiver is too slow'),
      ).catch((error: unknown) => log.warn({ err: error }, 'the last traces were not exported')),
  };
}

/** The SDK's own messages: a failed export, spans that found no room in the queue, a wrong variable. */
function diagnosticsTo(log: Pick<Logger, 'warn'>) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  const report = (message: string) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) {
      suppressed += 1;
      return;
    }
    log.warn({ problem: message.slice(0, PROBLEM_LENGTH_MAX), suppressed }, ADVICE);
    reportedAt = performance.now();
    suppressed = 0;
  };
  const ignore = () => {};
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
}

const PROBLEM_LENGTH_MAX = 500;
const ADVICE =
  'exporting traces is failing; decisions go on without it; docs/run/tracing.md says what to check';
