import {
  type ChargeRequest,
  DAY,
  MS_PER_MINUTE,
  type Period,
  scopeName,
  windowOfPeriod,
} from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import { counterKey, usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';

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
  /** Random, new for each call. */
  freshId: string;
  /** A counter as this process has last seen it. */
  seenOf: (counterKey: string) => string | undefined;
}

/** What became of one charge. Only a counted one has changed anything. */
export type ChargeReply =
  | { kind: 'malformed' }
  | { kind: 'late' }
  | { kind: 'reseed'; minute: number }
  | CountedReply;

/** The charge was judged, and counted as usage. */
export interface CountedReply {
  kind: CountedOutcome;
  timeMs: number;
  /** The running window, in whole minutes since 1970. */
  minute: number;
  /** Each scope's counter after the charge, in order. */
  counters: readonly Counts[];
}

/** In the order in which the script lists their usage. */
const COUNTED_OUTCOMES = ['allowed', 'quota_exceeded', 'rate_limited'] as const;
type CountedOutcome = (typeof COUNTED_OUTCOMES)[number];

/** Calls of the running minute, and what was used of the running period. */
interface Counts {
  minuteCount: number;
  periodCount: number;
}

export interface CallReply {
  timeMs: number;
  /** One per charge, in order. */
  charges: readonly ChargeReply[];
  /** The counters that were written, in the form in which Redis keeps them. */
  counters: readonly { key: string; seen: string }[];
  /** The fields of the usage hash that were raised, and their numbers. */
  usage: readonly { field: string; count: number }[];
}

/** A counter of a call, which several of its charges may touch. */
interface CallCounter extends Counts {
  key: string;
  /** Among the counters, from 1. */
  place: number;
  scopeName: string;
  period: Period;
  seed: Seed;
  isCharged: boolean;
}

/** What charges of a call that differ only in their deadlines have in common. */
interface ChargeKind {
  /** From 1. */
  place: number;
  request: ChargeRequest;
  counters: readonly CallCounter[];
  usage: HourUsage;
}

/** The outcomes that charges of one key and policy came to. */
interface HourUsage {
  /** `apiKeyId|policyId` */
  name: string;
  outcomes: Record<CountedOutcome, boolean>;
}

/** The kinds of a call, in their order, and those of each key. */
interface Kinds {
  texts: string[];
  usages: HourUsage[];
  byKey: Map<string, ChargeKind[]>;
}

const NO_SEED: Seed = { period: 0, total: 0 };

/** The counters, and what judges them: Redis has no include. */
export const chargeScriptText = () =>
  ['./counters.lua', './charge.lua'].map((path) => readScript(path, import.meta.url)).join('\n');

/** `charge.lua` as the limiter runs it. */
export const createChargeScript = () => createScript(chargeScriptText());

/** @throws Error where the reply is not one that `charge.lua` gives */
export async function runCharges(
  script: Script,
  client: RedisClient,
  { projectId, charges, freshId, seenOf }: ChargeCall,
): Promise<CallReply> {
  const countersByName = new Map<string, CallCounter>();
  const kinds: Kinds = { texts: [], usages: [], byKey: new Map() };
  const kindsOfCharges = charges.map(({ request, seeds }) =>
    kindOf(request, countersOf(request, seeds, countersByName), kinds),
  );
  const counters = [...countersByName.values()];
  const deadlines = charges.map(
    ({ redisDeadlineMs }, index) =>
      `${Math.floor(redisDeadlineMs)},${kindsOfCharges[index]?.place}`,
  );
  const args = [
    freshId,
    `[${counters.map((counter) => counterArgument(counter, seenOf(counter.key)))}]`,
    `[[${kinds.texts}],[${deadlines}]]`,
  ];
  const keys = [usageKey(projectId), ...counters.map(({ key }) => key)];
  const reply = new ReplyReader(await script.run(client, keys, args));
  return parseReply(reply, counters, kinds.usages, kindsOfCharges);
}

/** The counters of a charge, in the order of its scopes; adds those that the call lacks. */
function countersOf(
  { projectId, scopes }: ChargeRequest,
  seeds: readonly Seed[] | null,
  byName: Map<string, CallCounter>,
): CallCounter[] {
  return scopes.map((scope, index) => {
    const name = scopeName(scope);
    let counter = byName.get(name);
    if (!counter) {
      counter = {
        key: counterKey(projectId, scope),
        place: byName.size + 1,
        scopeName: name,
        period: scope.period,
        seed: NO_SEED,
        isCharged: false,
        minuteCount: 0,
        periodCount: 0,
      };
      byName.set(name, counter);
    }
    counter.seed = laterSeed(counter.seed, seeds?.[index] ?? NO_SEED);
    return counter;
  });
}

/** Of two seeds, the one of the later period, and of one period the larger total. */
function laterSeed(one: Seed, other: Seed): Seed {
  if (one.period !== other.period) return one.period > other.period ? one : other;
  return one.total >= other.total ? one : other;
}

function counterArgument({ scopeName, period, seed }: CallCounter, seen = ''): string {
  return `"${scopeName}",${period},${JSON.stringify(seen)},${seed.period},${seed.total}`;
}

/** The kind of a charge; adds it if the call lacks it. */
function kindOf(
  request: ChargeRequest,
  counters: readonly CallCounter[],
  { texts, usages, byKey }: Kinds,
): ChargeKind {
  const { apiKeyId, policyId, cost } = request;
  let ofKey = byKey.get(apiKeyId);
  if (!ofKey) {
    ofKey = [];
    byKey.set(apiKeyId, ofKey);
  }
  const known = ofKey.find((kind) => isSameKind(kind.request, request));
  if (known) return known;
  let usage = ofKey.find((kind) => kind.request.policyId === policyId)?.usage;
  if (!usage) {
    const outcomes = { allowed: false, quota_exceeded: false, rate_limited: false };
    usage = { name: `${apiKeyId}|${policyId}`, outcomes };
    usages.push(usage);
  }
  let text = `[${cost},"${usage.name}"`;
  request.scopes.forEach(({ limits: { minute, month } }, index) => {
    text += `,${counters[index]?.place},${minute?.value ?? -1},${month?.value ?? -1}`;
  });
  const kind = { place: texts.push(`${text}]`), request, counters, usage };
  ofKey.push(kind);
  return kind;
}

/** Whether two charges of one key differ in nothing but their deadlines. */
function isSameKind(one: ChargeRequest, other: ChargeRequest): boolean {
  if (one.policyId !== other.policyId || one.cost !== other.cost) return false;
  if (one.scopes.length !== other.scopes.length) return false;
  return one.scopes.every((scope, index) => {
    const { kind, id, limits } = other.scopes[index] ?? {};
    return (
      scope.kind === kind &&
      scope.id === id &&
      scope.limits.minute?.value === limits?.minute?.value &&
      scope.limits.month?.value === limits?.month?.value
    );
  });
}

function parseReply(
  reply: ReplyReader,
  counters: readonly CallCounter[],
  usages: readonly HourUsage[],
  kindsOfCharges: readonly ChargeKind[],
): CallReply {
  const [timeMs, minute] = [reply.count(), reply.count()];
  const outcomes = kindsOfCharges.map(({ usage }) => {
    const outcome = reply.word();
    if (isCounted(outcome)) usage.outcomes[outcome] = true;
    return outcome;
  });
  if (reply.isAtEnd) {
    return {
      timeMs,
      charges: outcomes.map((it) => uncounted(it, minute)),
      counters: [],
      usage: [],
    };
  }
  const incarnation = reply.word();
  const written: { key: string; seen: string }[] = [];
  for (const counter of counters) {
    const seen = reply.text();
    counter.minuteCount = reply.count();
    counter.periodCount = reply.count();
    if (seen !== '') written.push({ key: counter.key, seen });
  }
  const charges = chargesOf(outcomes, kindsOfCharges, timeMs, minute);
  const usage = fieldsOf(incarnation, minute, counters, usages).map((field) => {
    return { field, count: reply.count() };
  });
  if (!reply.isAtEnd) throw new Error('the charge returned more than its usage');
  return { timeMs, charges, counters: written, usage };
}

/** The charges from the last to the first, each with the counts that it left. */
function chargesOf(
  outcomes: readonly string[],
  kinds: readonly ChargeKind[],
  timeMs: number,
  minute: number,
): ChargeReply[] {
  const charges: ChargeReply[] = [];
  for (let index = outcomes.length - 1; index >= 0; index--) {
    const outcome = outcomes[index] ?? '';
    if (!isCounted(outcome)) {
      charges.push(uncounted(outcome, minute));
      continue;
    }
    const { counters = [], request } = kinds[index] ?? {};
    const cost = request?.cost ?? 0;
    const counts = counters.map(({ minuteCount, periodCount }) => ({ minuteCount, periodCount }));
    charges.push({ kind: outcome, timeMs, minute, counters: counts });
    if (outcome !== 'allowed') continue;
    for (const counter of counters) {
      counter.minuteCount -= 1;
      counter.periodCount -= cost;
      if (cost > 0) counter.isCharged = true;
    }
  }
  return charges.reverse();
}

const isCounted = (outcome: string): outcome is CountedOutcome =>
  outcome === 'allowed' || outcome === 'quota_exceeded' || outcome === 'rate_limited';

function uncounted(outcome: string, minute: number): ChargeReply {
  switch (outcome) {
    case 'malformed':
    case 'late':
      return { kind: outcome };
    case 'reseed':
      return { kind: outcome, minute };
    default:
      throw new Error('the charge returned an unknown outcome');
  }
}

/** The fields of the usage hash that a call raised, in the order of its reply. */
function fieldsOf(
  incarnation: string,
  minute: number,
  counters: readonly CallCounter[],
  usages: readonly HourUsage[],
): string[] {
  const fields: string[] = [];
  const hour = `h|${incarnation}|${Math.floor(minute / 60)}|`;
  for (const { name, outcomes } of usages) {
    for (const outcome of COUNTED_OUTCOMES) {
      if (outcomes[outcome]) fields.push(`${hour}${name}|${outcome}`);
    }
  }
  let [of, number] = [Number.NaN, 0];
  for (const { scopeName, period, isCharged } of counters) {
    if (!isCharged) continue;
    // Most counters of a call have one period.
    if (period !== of) number = windowOfPeriod(period).numberAt(minute * MS_PER_MINUTE);
    of = period;
    fields.push(`${period === DAY ? 'd' : 'm'}|${incarnation}|${number}|${scopeName}`);
  }
  return fields;
}

class ReplyReader {
  readonly #fields: readonly unknown[];
  #next = 0;

  constructor(raw: unknown) {
    this.#fields = Array.isArray(raw) ? raw : [];
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#fields.length;
  }

  /** A text that may be empty. */
  text(): string {
    const field = this.#fields[this.#next++];
    if (typeof field !== 'string') throw malformed(this.#next);
    return field;
  }

  word(): string {
    const text = this.text();
    if (text === '') throw malformed(this.#next);
    return text;
  }

  count(): number {
    const field = this.#fields[this.#next++];
    if (typeof field !== 'number' || !Number.isSafeInteger(field) || field < 0) {
      throw malformed(this.#next);
    }
    return field;
  }
}

const malformed = (position: number) =>
  new Error(`the charge returned a malformed field ${position}`);
