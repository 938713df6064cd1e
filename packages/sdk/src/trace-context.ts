import type { TraceContext } from './types.ts';

/** The headers of a trace context, as they are sent. */
export type TraceHeaders = {
  readonly traceparent: string;
  readonly tracestate?: string;
};

/** W3C Trace Context, section 3.2, version 00: no other is known, and its meaning may differ. */
const TRACEPARENT = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
/** Section 3.3: such a list is propagated up to this length. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** The trace context that a request brings, unchecked; undefined without one. */
export function traceContextIn(headerOf: (name: string) => unknown): TraceContext | undefined {
  const traceparent = headerOf('traceparent');
  if (typeof traceparent !== 'string') return undefined;
  const tracestate = headerOf('tracestate');
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
}

/**
 * The headers that make a question a part of the trace of the active span, or else of the incoming
 * request; undefined without a valid one.
 */
export function traceHeadersOf(incoming: TraceContext | undefined): TraceHeaders | undefined {
  return validated(activeTraceContext()) ?? validated(incoming);
}

/** Whether the trace is recorded: the first flag of section 3.2.2.5. */
export function isSampled({ traceparent }: TraceHeaders): boolean {
  return (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;
}

function validated(context: TraceContext | undefined): TraceHeaders | undefined {
  if (context === undefined || !TRACEPARENT.test(context.traceparent)) return undefined;
  const { traceparent, tracestate = '' } = context;
  return TRACESTATE.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/**
 * Where every copy of `@opentelemetry/api` 1.x keeps what the host has set up, so that copies share
 * it. Read here without an import, which bundlers and edge runtimes would have to resolve in hosts
 * that do not trace.
 */
const OPENTELEMETRY = Symbol.for('opentelemetry.js.api.1');

/** The part of it that is used, with the interfaces of the API; each is absent until it is set up. */
interface OpenTelemetry {
  readonly context?: { active(): unknown };
  readonly propagation?: {
    inject(context: unknown, carrier: Carrier, setter: typeof SETTER): void;
  };
}
type Carrier = Map<string, unknown>;
const SETTER = {
  set: (carrier: Carrier, name: string, value: unknown) => void carrier.set(name, value),
};

/** What the host's propagator would send. Tracing never fails a question. */
function activeTraceContext(): TraceContext | undefined {
  const api: OpenTelemetry | undefined = Reflect.get(globalThis, OPENTELEMETRY);
  if (!api?.context || !api.propagation) return undefined;
  const headers: Carrier = new Map();
  try {
    api.propagation.inject(api.context.active(), headers, SETTER);
  } catch {
    return undefined;
  }
  return traceContextIn((name) => headers.get(name));
}
