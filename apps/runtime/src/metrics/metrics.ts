import type { Decision } from '@ceiba/contract';
import { OUTCOMES } from '@ceiba/contract/sets';
import { classifyError, DatabaseUnavailableError } from '@ceiba/schema';
import { Counter, Histogram, Registry } from 'prom-client';
import { NoReplyError } from '../redis/connection.ts';
import { OVERLOAD, UNAVAILABLE_DEPENDENCIES, UnavailableError } from '../unavailable.ts';
import type { RoundTrips } from './round-trips.ts';

/** The stages of a decision whose durations are measured. */
const STAGES = ['whole', 'lookup', 'policies', 'charge'] as const;
/** What shares a round trip: questions of a request, lookups of a statement, charges of a call. */
const BATCHES = ['request', 'lookup', 'charge'] as const;
const FAILURE_CAUSES = [...UNAVAILABLE_DEPENDENCIES, 'internal'] as const;
const DATABASE_ERRORS = ['timeout', 'connection', 'busy', 'statement'] as const;
const REDIS_ERRORS = ['timeout', 'connection', 'reply'] as const;

/** In seconds: a decision takes from half a millisecond up to its deadline of 500 ms. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1,
];
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * Counts what the Runtime does, for Prometheus (ADR 0035). Every label has a closed set of values,
 * and none comes from a request. Each series is there from the start, so that its first change shows.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly #decisions = this.#counters(
    { name: 'ceiba_decisions_total', help: 'Decisions, by outcome.' },
    'outcome',
    OUTCOMES,
  );
  readonly #failures = this.#counters(
    {
      name: 'ceiba_decision_failures_total',
      help: 'Requests for a decision that were answered without one, by cause: an outage (503) or a bug (500).',
    },
    'cause',
    FAILURE_CAUSES,
  );
  /** Kept as numbers, which cost a request nothing, until Prometheus asks. */
  readonly #requests = { decided: 0, failed: 0 };
  readonly #shed = this.#counter(
    'ceiba_shed_requests_total',
    'Requests for a decision that were refused because too many were in flight; also among the failures by overload.',
  );
  readonly #refusedSecrets = this.#counter(
    'ceiba_refused_secrets_total',
    'Requests on any route whose project secret was missing or wrong.',
  );
  readonly #unclearRequests = this.#counter(
    'ceiba_unclear_requests_total',
    'Requests of gateways that did not say clearly which request they are about, or what it costs; none was allowed.',
  );
  readonly #durations = this.#histograms(
    {
      name: 'ceiba_decision_duration_seconds',
      help: 'The whole time of an admitted request, a batch being one; of a decision, the time until its lookup and until its charge was answered; and of a list of policies, the time to load it.',
      buckets: DURATION_BUCKETS,
    },
    'stage',
    STAGES,
  );
  readonly #batchSizes = this.#histograms(
    {
      name: 'ceiba_batch_size',
      help: 'Questions per batch request, lookups per statement, charges per call to Redis.',
      buckets: SIZE_BUCKETS,
    },
    'batch',
    BATCHES,
  );
  readonly #dependencyErrors = new Counter({
    name: 'ceiba_dependency_errors_total',
    help: 'Statements to Postgres and commands to Redis that failed, by kind of error.',
    labelNames: ['dependency', 'error'],
    registers: [this.registry],
  });
  readonly #databaseErrors = this.#errorsOf('database', DATABASE_ERRORS);
  readonly #redisErrors = this.#errorsOf('redis', REDIS_ERRORS);

  readonly lookup = this.#roundTrips('lookup');
  readonly charge = this.#roundTrips('charge');

  constructor() {
    const requests = this.#requests;
    new Counter({
      name: 'ceiba_decision_requests_total',
      help: 'Requests for a decision, a batch being one, by result: whether all their questions were decided, or one at least failed by an outage or a bug.',
      labelNames: ['result'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(requests)) this.inc({ result }, count);
      },
    });
  }

  decided(decision: Decision): void {
    this.#decisions[decision.allowed ? 'allowed' : decision.denialReason].inc();
  }

  /** Counts an outage or a bug. */
  failed(error: unknown): void {
    if (error === OVERLOAD) this.#shed.inc();
    this.#failures[error instanceof UnavailableError ? error.dependency : 'internal'].inc();
  }

  /** @param failure null where all its questions were decided */
  requested(failure: unknown): void {
    if (failure === null) this.#requests.decided += 1;
    else if (!isOfCaller(failure)) this.#requests.failed += 1;
  }

  answered(tookMs: number): void {
    this.#durations.whole.observe(tookMs / 1000);
  }

  batchOf(questions: number): void {
    this.#batchSizes.request.observe(questions);
  }

  /** Measures how long a list of policies takes to load. */
  async loadingPolicies<T>(load: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await load;
    } finally {
      this.#durations.policies.observe((performance.now() - startedAt) / 1000);
    }
  }

  refusedSecret(): void {
    this.#refusedSecrets.inc();
  }

  unclearRequest(): void {
    this.#unclearRequests.inc();
  }

  /** Counts an error of Postgres; ignores an error that is not about it. */
  databaseFailed(error: unknown): void {
    const kind = kindOfDatabaseError(error);
    if (kind !== 'internal') this.#databaseErrors[kind].inc();
  }

  redisFailed(error: unknown): void {
    this.#redisErrors[kindOfRedisError(error)].inc();
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  #counters<Value extends string>(
    options: { name: string; help: string },
    label: string,
    values: readonly Value[],
  ) {
    const counter = new Counter({ ...options, labelNames: [label], registers: [this.registry] });
    return recordOf(values, (value) => startedAtZero(counter.labels(value)));
  }

  #histograms<Value extends string>(
    options: { name: string; help: string; buckets: number[] },
    label: string,
    values: readonly Value[],
  ) {
    const registers = [this.registry];
    const histogram = new Histogram({ ...options, labelNames: [label], registers });
    return recordOf(values, (value) => {
      histogram.zero({ [label]: value });
      return histogram.labels(value);
    });
  }

  #errorsOf<Kind extends string>(dependency: string, kinds: readonly Kind[]) {
    return recordOf(kinds, (kind) =>
      startedAtZero(this.#dependencyErrors.labels(dependency, kind)),
    );
  }

  #roundTrips(name: 'lookup' | 'charge'): RoundTrips {
    const size = this.#batchSizes[name];
    const duration = this.#durations[name];
    return {
      carried: (items) => size.observe(items),
      took: (ms) => duration.observe(ms / 1000),
    };
  }
}

const isOfCaller = (error: unknown) =>
  error instanceof UnavailableError && error.dependency === 'caller';

function startedAtZero(counter: Counter.Internal): Counter.Internal {
  counter.inc(0);
  return counter;
}

const recordOf = <Name extends string, T>(names: readonly Name[], make: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;

function kindOfDatabaseError(error: unknown) {
  if (!(error instanceof DatabaseUnavailableError)) return classifyError(error);
  return error.cause === undefined ? 'timeout' : classifyError(error.cause);
}

/** Without a cause, Redis answered something else than the Runtime had asked for. */
function kindOfRedisError(error: unknown): (typeof REDIS_ERRORS)[number] {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof NoReplyError) return 'timeout';
  const isReply = !(cause instanceof Error) || cause.name === 'ReplyError';
  return isReply ? 'reply' : 'connection';
}
