import { type ChargeRequest, scopeName } from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import { counterKey, usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import type { SeenCounter } from './seen.ts';

/** How many calls Postgres knows as allowed in one month; one total per scope, in order. */
export interface Seeds {
  month: number;
  totals: readonly number[];
}

export interface CarriedCharge {
  request: ChargeRequest;
  /** Ms on Redis's clock; past it the script charges nothing. */
  redisDeadlineMs: number;
  seeds: Seeds | null;
}

/** One run of the script. */
export interface ChargeCall {
  projectId: string;
  /** Of this project, in the order in which they are judged. */
  charges: readonly CarriedCharge[];
  /** Random, new for each call. */
  freshId: string;
  /** What this process has seen of a counter. */
  seenOf: (counterKey: string) => SeenCounter;
}

/** What became of one charge. Only a counted one has changed anything. */
export type ChargeReply =
  | { kind: 'malformed' }
  | { kind: 'late' }
  | { kind: 'reseed'; month: number }
  | CountedReply;

/** The charge was judged, and counted as usage. */
export interface CountedReply {
  kind: 'allowed' | 'quota_exceeded' | 'rate_limited';
  timeMs: number;
  /** The windows: whole minutes since 1970, and year × 12 + month. */
  minute: number;
  month: number;
  /** Each scope's counter after the charge, in order. */
  counters: readonly Counts[];
}

type Counts = Pick<SeenCounter, 'minuteCount' | 'monthCount'>;

export interface CallReply {
  timeMs: number;
  /** One per charge, in order. */
  charges: readonly ChargeReply[];
  /** The counters that were written, as the call left them. */
  counters: readonly { key: string; seen: SeenCounter }[];
  /** The fields of the usage hash that were raised, and their numbers. */
  usage: readonly { field: string; count: number }[];
}

/** A counter of a call, which several of its charges may touch. */
interface CallCounter {
  key: string;
  /** In KEYS, from 1. */
  place: number;
  scopeName: string;
  seedMonth: number;
  seed: number;
  /** As the last charge so far has left it; null if none has written it. */
  counts: Counts | null;
}

export const chargeScriptText = () => readScript('./charge.lua', import.meta.url);

/** `charge.lua` as the limiter runs it. */
export const createChargeScript = () => createScript(chargeScriptText());

/** @throws Error where the reply is not one that `charge.lua` gives */
export async function runCharges(
  script: Script,
  client: RedisClient,
  call: ChargeCall,
): Promise<CallReply> {
  const byScope = new Map<string, CallCounter>();
  const countersOfCharges = call.charges.map((charge) => countersOf(charge, byScope));
  const counters = [...byScope.values()];
  const args = [
    call.freshId,
    ...counters.map((counter) => counterArgument(counter, call.seenOf(counter.key))),
    ...call.charges.map((charge, index) => chargeArgument(charge, countersOfCharges[index] ?? [])),
  ];
  const keys = [usageKey(call.projectId), ...counters.map(({ key }) => key)];
  return parseReply(await script.run(client, keys, args), counters, countersOfCharges);
}

/** The counters of a charge, in the order of its scopes; adds those that the call lacks. */
function countersOf(
  { request, seeds }: CarriedCharge,
  byScope: Map<string, CallCounter>,
): CallCounter[] {
  return request.scopes.map((scope, index) => {
    const name = scopeName(scope);
    const counter = byScope.get(name) ?? {
      key: counterKey(request.projectId, scope),
      place: byScope.size + 2,
      scopeName: name,
      seedMonth: 0,
      seed: 0,
      counts: null,
    };
    byScope.set(name, counter);
    if (seeds) raiseSeed(counter, seeds.month, seeds.totals[index] ?? 0);
    return counter;
  });
}

/** Of two seeds, the later month counts, and of one month the larger total. */
function raiseSeed(counter: CallCounter, month: number, total: number): void {
  if (month < counter.seedMonth) return;
  counter.seed = month > counter.seedMonth ? total : Math.max(counter.seed, total);
  counter.seedMonth = month;
}

function counterArgument({ scopeName, seedMonth, seed }: CallCounter, seen: SeenCounter): string {
  const { lineage, minute, minuteCount, monthCount } = seen;
  return `${scopeName} ${seedMonth} ${seed} ${lineage} ${minute} ${minuteCount} ${monthCount}`;
}

function chargeArgument(
  { request, redisDeadlineMs }: CarriedCharge,
  counters: readonly CallCounter[],
): string {
  let argument = `${Math.floor(redisDeadlineMs)} ${request.apiKeyId} ${request.policyId}`;
  request.scopes.forEach(({ limits: { minute, month } }, index) => {
    argument += ` ${counters[index]?.place}:${minute?.value ?? -1}:${month?.value ?? -1}`;
  });
  return argument;
}

function parseReply(
  raw: unknown,
  counters: readonly CallCounter[],
  countersOfCharges: readonly (readonly CallCounter[])[],
): CallReply {
  const fields = new ReplyReader(raw);
  const windows = { timeMs: fields.count(), minute: fields.count(), month: fields.count() };
  const charges = countersOfCharges.map((touched) => parseCharge(fields, touched, windows));
  const written: { key: string; seen: SeenCounter }[] = [];
  const usage: { field: string; count: number }[] = [];
  if (counters.some(({ counts }) => counts !== null)) {
    for (const { key, counts } of counters) {
      if (counts === null) fields.skip();
      else {
        const { minuteCount, monthCount } = counts;
        const lineage = fields.word();
        written.push({ key, seen: { lineage, minute: windows.minute, minuteCount, monthCount } });
      }
    }
    while (!fields.isAtEnd) usage.push({ field: fields.word(), count: fields.count() });
  }
  return { timeMs: windows.timeMs, charges, counters: written, usage };
}

function parseCharge(
  fields: ReplyReader,
  touched: readonly CallCounter[],
  windows: Pick<CountedReply, 'timeMs' | 'minute' | 'month'>,
): ChargeReply {
  const kind = fields.word();
  switch (kind) {
    case 'malformed':
    case 'late':
      return { kind };
    case 'reseed':
      return { kind, month: windows.month };
    case 'allowed':
    case 'quota_exceeded':
    case 'rate_limited': {
      const counters = touched.map((counter) => {
        counter.counts = { minuteCount: fields.count(), monthCount: fields.count() };
        return counter.counts;
      });
      const { timeMs, minute, month } = windows;
      return { kind, timeMs, minute, month, counters };
    }
    default:
      throw new Error('the charge returned an unknown outcome');
  }
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

  skip(): void {
    this.#next += 1;
  }

  word(): string {
    const field = this.#fields[this.#next++];
    if (typeof field !== 'string' || field === '') throw malformed(this.#next);
    return field;
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
