import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { Dependencies } from '../decision/dependencies.ts';
import { UnavailableError } from '../unavailable.ts';

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/** From the start of its first work to the end of its last, in ms of the monotonic clock. */
interface Stage {
  readonly startMs: number;
  endMs: number;
  open: number;
  error?: unknown;
}

export interface DecisionTraceOptions {
  readonly tracer: Tracer;
  /** The span of the call; it is sampled. */
  readonly span: Span;
  /** The context with that span. */
  readonly context: Context;
  /** What makes ms since 1970 of the monotonic clock: one for all spans, so that each lies in its parent. */
  readonly epochMs: number;
}

/**
 * The spans of one call that is sampled: the call, and below it the lookup, the policies where they
 * were loaded, the charge, and the first use of a key. A batch has one span per stage, and an event
 * per decision.
 */
export class DecisionTrace {
  readonly #options: DecisionTraceOptions;
  readonly #stages = new Map<string, Stage>();
  #error: unknown;

  constructor(options: DecisionTraceOptions) {
    this.#options = options;
  }

  /** What is known of the call. Nothing that the caller chose: no path, no header, no key. */
  describe(attributes: Attributes): void {
    this.#options.span.setAttributes(attributes);
  }

  /** The same dependencies, whose work this trace sees. */
  watch(dependencies: Dependencies, kind: 'one' | 'batch'): Dependencies {
    const { lookups, policies, limiter, firstUses, decisionLog } = dependencies;
    const { span } = this.#options;
    return {
      ...dependencies,
      lookups: {
        find: (item, deadline) => this.#see('lookup', () => lookups.find(item, deadline)),
      },
      policies: {
        matcherFor: (projectId, revision) => {
          const matcher = policies.matcherFor(projectId, revision);
          return matcher instanceof Promise ? this.#see('policies', () => matcher) : matcher;
        },
      },
      limiter: {
        charge: (call, deadline) => this.#see('charge', () => limiter.charge(call, deadline)),
      },
      firstUses: {
        record: (apiKeyId, deadline) =>
          this.#see('first use', () => firstUses.record(apiKeyId, deadline)),
      },
      decisionLog: {
        add: (call, decision, charge) => {
          const decided = {
            'ceiba.decision.id': decision.decisionId,
            'ceiba.decision.outcome': decision.allowed ? 'allowed' : decision.denialReason,
          };
          if (kind === 'one') span.setAttributes(decided);
          else span.addEvent('ceiba.decision', decided, this.#at(performance.now()));
          decisionLog.add(call, decision, charge);
        },
      },
    };
  }

  /** Why there is no decision, or none of one question of a batch. The first reason counts. */
  fail(error: unknown): void {
    this.#error ??= error;
  }

  /** Ends every span. A stage that still waits ends now, as a timeout. */
  end(status: number): void {
    const { tracer, span, context } = this.#options;
    const nowMs = performance.now();
    for (const [name, stage] of this.#stages) {
      const startTime = this.#at(stage.startMs);
      const child = tracer.startSpan(name, { startTime }, context);
      if (stage.open > 0) setError(child, 'timeout');
      else if (stage.error !== undefined) setError(child, classOf(stage.error));
      child.end(this.#at(stage.open > 0 ? nowMs : stage.endMs));
    }
    span.setAttribute('http.response.status_code', status);
    const isOutage = this.#error instanceof UnavailableError;
    if (isOutage || status >= 500) setError(span, isOutage ? classOf(this.#error) : `${status}`);
    span.end(this.#at(nowMs));
  }

  #see<T>(name: string, begin: () => Promise<T>): Promise<T> {
    let stage = this.#stages.get(name);
    if (stage === undefined) {
      const startMs = performance.now();
      stage = { startMs, endMs: startMs, open: 0 };
      this.#stages.set(name, stage);
    }
    const seen = stage;
    seen.open += 1;
    const work = begin();
    const end = () => {
      seen.open -= 1;
      seen.endMs = performance.now();
    };
    work.then(end, (error: unknown) => {
      end();
      seen.error ??= error;
    });
    return work;
  }

  #at(monotonicMs: number): number {
    return this.#options.epochMs + monotonicMs;
  }
}

function setError(span: Span, type: string): void {
  span.setStatus({ code: ERROR }).setAttribute('error.type', type);
}

const classOf = (error: unknown) =>
  error instanceof UnavailableError ? error.dependency : 'internal';
