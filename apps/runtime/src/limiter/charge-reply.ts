import { DAY, MS_PER_MINUTE, windowOfPeriod } from '@ceiba/domain';
import {
  type CallArguments,
  type ChargeKind,
  COUNTED_OUTCOMES,
  type CountedOutcome,
  type Counts,
} from './charge-arguments.ts';

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

export interface CallReply {
  timeMs: number;
  /** One per charge, in order. */
  charges: readonly ChargeReply[];
  /** The counters that were written, in the form in which Redis keeps them. */
  counters: readonly { key: string; seen: string }[];
  /** The fields of the usage hash that were raised, and their numbers. */
  usage: readonly { field: string; count: number }[];
}

/**
 * The reply has no counts per charge and no names of usage fields: both follow from the outcomes.
 *
 * @throws Error where it is not one that `charge.lua` gives
 */
export function parseReply(raw: unknown, call: CallArguments): CallReply {
  const reply = new ReplyReader(raw);
  const [timeMs, minute] = [reply.count(), reply.count()];
  const outcomes = call.kinds.map(({ usage }) => {
    const outcome = reply.word();
    if (isCounted(outcome)) usage.outcomes[outcome] = true;
    return outcome;
  });
  if (reply.isAtEnd) {
    const charges = outcomes.map((outcome) => uncounted(outcome, minute));
    return { timeMs, charges, counters: [], usage: [] };
  }
  const incarnation = reply.word();
  const counters: CallReply['counters'][number][] = [];
  for (const counter of call.counters) {
    const seen = reply.text();
    counter.minuteCount = reply.count();
    counter.periodCount = reply.count();
    if (seen !== '') counters.push({ key: counter.key, seen });
  }
  const charges = chargesOf(outcomes, call.kinds, timeMs, minute);
  const usage = usageOf(reply, call, incarnation, minute);
  if (!reply.isAtEnd) throw new Error('the charge returned more than its usage');
  return { timeMs, charges, counters, usage };
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
function usageOf(
  reply: ReplyReader,
  { usages, counters }: CallArguments,
  incarnation: string,
  minute: number,
): CallReply['usage'] {
  const usage: CallReply['usage'][number][] = [];
  const hour = `h|${incarnation}|${Math.floor(minute / 60)}|`;
  for (const { name, outcomes } of usages) {
    for (const outcome of COUNTED_OUTCOMES) {
      if (!outcomes[outcome]) continue;
      usage.push({ field: `${hour}${name}|${outcome}`, count: reply.count() });
    }
  }
  let [of, number] = [Number.NaN, 0];
  for (const { scopeName, period, isCharged } of counters) {
    if (!isCharged) continue;
    // Most counters of a call have one period.
    if (period !== of) number = windowOfPeriod(period).numberAt(minute * MS_PER_MINUTE);
    of = period;
    const field = `${period === DAY ? 'd' : 'm'}|${incarnation}|${number}|${scopeName}`;
    usage.push({ field, count: reply.count() });
  }
  return usage;
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
