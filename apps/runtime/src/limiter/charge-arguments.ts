import { type ChargeRequest, type Period, type Scope, scopeName } from '@ceiba/domain';
import { counterKey } from '../redis/keys.ts';

/** What Postgres knows as allowed in one period of a scope. */
export interface Seed {
  /** The period's number. */
  period: number;
  total: number;
}

export interface CarriedCharge {
  request: ChargeRequest;
  /** Ms on Redis's clock; past it the script charges nothing. */
  redisDeadlineMs: number;
  /** One per scope, in order. */
  seeds: readonly Seed[] | null;
}

/** One run of the script. */
export interface ChargeCall {
  projectId: string;
  /** Of this project, in the order in which they are judged. */
  charges: readonly CarriedCharge[];
  /** Random, new for each call; letters and digits only. */
  freshId: string;
  /** A counter as this process has last seen it. */
  seenOf: (counterKey: string) => string | undefined;
}

/** In the order in which the script lists their usage. */
export const COUNTED_OUTCOMES = ['allowed', 'quota_exceeded', 'rate_limited'] as const;
export type CountedOutcome = (typeof COUNTED_OUTCOMES)[number];

/** Calls of the running minute, and what was used of the running period. */
export interface Counts {
  minuteCount: number;
  periodCount: number;
}

/** A counter of a call, which several of its charges may touch. */
export interface CallCounter extends Counts {
  readonly key: string;
  /** Among the counters, from 1. */
  readonly place: number;
  readonly scopeName: string;
  readonly period: Period;
  seed: Seed;
  isCharged: boolean;
}

/** What charges of a call that differ only in their deadlines have in common. */
export interface ChargeKind {
  /** From 1. */
  readonly place: number;
  readonly request: ChargeRequest;
  readonly counters: readonly CallCounter[];
  readonly usage: HourUsage;
}

/** The outcomes that charges of one key and policy came to. */
export interface HourUsage {
  /** `apiKeyId|policyId` */
  readonly name: string;
  readonly outcomes: Record<CountedOutcome, boolean>;
}

const NO_SEED: Seed = { period: 0, total: 0 };

/** What one call of `charge.lua` says. Texts grow piece by piece: a list is slower to join. */
export class CallArguments {
  readonly counters: CallCounter[] = [];
  readonly usages: HourUsage[] = [];
  /** Of each charge, in order. */
  readonly kinds: ChargeKind[] = [];
  readonly #seenOf: ChargeCall['seenOf'];
  readonly #countersByName = new Map<string, CallCounter>();
  readonly #kindsOfKeys = new Map<string, ChargeKind[]>();
  #kindCount = 0;
  #kindsText = '';
  #deadlinesText = '';

  constructor(seenOf: ChargeCall['seenOf']) {
    this.#seenOf = seenOf;
  }

  add({ request, redisDeadlineMs, seeds }: CarriedCharge): void {
    const counters = request.scopes.map((scope, index) => {
      const counter = this.#counterOf(request.projectId, scope);
      const seed = seeds?.[index];
      if (seed) counter.seed = laterSeed(counter.seed, seed);
      return counter;
    });
    const kind = this.#kindOf(request, counters);
    this.kinds.push(kind);
    this.#deadlinesText += `${separated(this.#deadlinesText)}${Math.floor(redisDeadlineMs)},${kind.place}`;
  }

  countersText(): string {
    let text = '';
    for (const { key, scopeName, period, seed } of this.counters) {
      // What was seen was written by the script: letters, digits and colons.
      const seen = this.#seenOf(key) ?? '';
      text += `${separated(text)}"${scopeName}",${period},"${seen}",${seed.period},${seed.total}`;
    }
    return `[${text}]`;
  }

  chargesText(): string {
    return `[[${this.#kindsText}],[${this.#deadlinesText}]]`;
  }

  #counterOf(projectId: string, scope: Scope): CallCounter {
    const name = scopeName(scope);
    const known = this.#countersByName.get(name);
    if (known) return known;
    const counter = {
      key: counterKey(projectId, scope),
      place: this.counters.length + 1,
      scopeName: name,
      period: scope.period,
      seed: NO_SEED,
      isCharged: false,
      minuteCount: 0,
      periodCount: 0,
    };
    this.#countersByName.set(name, counter);
    this.counters.push(counter);
    return counter;
  }

  #kindOf(request: ChargeRequest, counters: readonly CallCounter[]): ChargeKind {
    const { apiKeyId, policyId, cost, scopes } = request;
    let ofKey = this.#kindsOfKeys.get(apiKeyId);
    if (!ofKey) {
      ofKey = [];
      this.#kindsOfKeys.set(apiKeyId, ofKey);
    }
    const known = ofKey.find((kind) => isSameKind(kind.request, request));
    if (known) return known;
    const usage =
      ofKey.find((kind) => kind.request.policyId === policyId)?.usage ??
      this.#usageOf(`${apiKeyId}|${policyId}`);
    this.#kindsText += `${separated(this.#kindsText)}[${cost},"${usage.name}"`;
    scopes.forEach(({ rate, quota }, index) => {
      const { place } = counters[index] ?? {};
      this.#kindsText += `,${place},${rate?.value ?? -1},${quota?.value ?? -1}`;
    });
    this.#kindsText += ']';
    this.#kindCount += 1;
    const kind = { place: this.#kindCount, request, counters, usage };
    ofKey.push(kind);
    return kind;
  }

  #usageOf(name: string): HourUsage {
    const outcomes = { allowed: false, quota_exceeded: false, rate_limited: false };
    const usage = { name, outcomes };
    this.usages.push(usage);
    return usage;
  }
}

const separated = (text: string) => (text === '' ? '' : ',');

/** Of two seeds, the one of the later period, and of one period the larger total. */
function laterSeed(one: Seed, other: Seed): Seed {
  if (one.period !== other.period) return one.period > other.period ? one : other;
  return one.total >= other.total ? one : other;
}

/** Whether two charges of one key differ in nothing but their deadlines. */
function isSameKind(one: ChargeRequest, other: ChargeRequest): boolean {
  if (one.policyId !== other.policyId || one.cost !== other.cost) return false;
  if (one.scopes.length !== other.scopes.length) return false;
  return one.scopes.every((scope, index) => {
    const { id, period, rate, quota } = other.scopes[index] ?? {};
    return (
      scope.id === id &&
      scope.period === period &&
      scope.rate?.value === rate?.value &&
      scope.quota?.value === quota?.value
    );
  });
}
