/**
 * A second implementation of `charge.lua` and `trim.lua`, in TypeScript and with another structure,
 * written from the rules of docs/reference/consistency.md. Tests compare the scripts with it command by command.
 */

/** The data of the scripts in a Redis. */
export interface RedisState {
  /** The counters by key; null is a key of another type. */
  strings: Map<string, string | null>;
  /** The usage by key; null is a key of another type. */
  hashes: Map<string, Map<string, string> | null>;
}

/** The state of the server that the scripts read. */
export interface RedisServerFacts {
  timeMs: number;
  /** The report of INFO for these two sections. */
  info: { server: string; replication: string };
}

/** A reply of Redis: an array, a number, or an error. */
export type ScriptReply = readonly (string | number)[] | number | { error: string };

export const emptyState = (): RedisState => ({ strings: new Map(), hashes: new Map() });

export function copyState({ strings, hashes }: RedisState): RedisState {
  const copies = [...hashes].map(([key, hash]) => [key, hash && new Map(hash)] as const);
  return { strings: new Map(strings), hashes: new Map(copies) };
}

const WRONG_TYPE = { error: 'WRONGTYPE' };

/** A count in a window: the base of the lineage, and the calls allowed since (rule seen-counts). */
interface Tally {
  base: number;
  own: number;
}

interface Counter {
  epoch: string;
  lineage: string;
  minute: number;
  ofMinute: Tally;
  ofMonth: Tally;
}

/** What a caller says of a counter. */
interface Known {
  scopeName: string;
  seedMonth: number;
  seed: number;
  seen: { lineage: string; minute: number; minuteCount: number; monthCount: number };
}

interface Charge {
  deadlineMs: number;
  apiKeyId: string;
  policyId: string;
  scopes: { place: number; ratePerMinute: number; quota: number }[];
}

const countOf = ({ base, own }: Tally) => base + own;

/** Runs `charge.lua` on a state and changes it. */
export function chargeByReference(
  state: RedisState,
  keys: readonly string[],
  args: readonly string[],
  { timeMs, info }: RedisServerFacts,
): ScriptReply {
  const [usageKey = '', ...counterKeys] = keys;
  const [freshId = '', ...texts] = args;
  const usage = state.hashes.has(usageKey) ? state.hashes.get(usageKey) : new Map();
  if (!usage) return WRONG_TYPE;
  const epoch = epochOf(info);
  const knowns = counterKeys.map((_, index) => parseKnown(texts[index] ?? ''));
  const storeds = counterKeys.map((key, index) =>
    knowns[index] ? parseCounter(state.strings.get(key)) : null,
  );
  const minute = Math.max(
    Math.floor(timeMs / 60_000),
    wholeOf(usage.get('minute')) ?? 0,
    ...knowns.map((known) => known?.seen.minute ?? 0),
    ...storeds.map((stored) => stored?.minute ?? 0),
  );
  const month = monthOf(minute);
  const counters = knowns.map((known, index) => {
    return known && counterIn(minute, epoch, freshId, known, storeds[index] ?? null);
  });

  const reply: (string | number)[] = [timeMs, minute, month];
  const touched = new Set<Counter>();
  const raises = new Map<string, number>();
  const raise = (field: string) => raises.set(field, (raises.get(field) ?? 0) + 1);
  for (const text of texts.slice(counterKeys.length)) {
    const charge = parseCharge(text);
    const own = charge?.scopes.map(({ place }) => counters[place - 2] ?? null) ?? [null];
    if (!charge || own.includes(null)) reply.push('malformed');
    else if (timeMs > charge.deadlineMs) reply.push('late');
    else if (own.includes(UNSEEDED)) reply.push('reseed');
    else {
      const judged = own as Counter[];
      const outcome = outcomeOf(charge, judged);
      reply.push(outcome);
      raise(`h|?|${Math.floor(minute / 60)}|${charge.apiKeyId}|${charge.policyId}|${outcome}`);
      for (const [index, counter] of judged.entries()) {
        touched.add(counter);
        if (outcome === 'allowed') {
          counter.ofMinute.own += 1;
          counter.ofMonth.own += 1;
          const place = charge.scopes[index]?.place ?? 0;
          raise(`m|?|${month}|${knowns[place - 2]?.scopeName}`);
        }
        reply.push(countOf(counter.ofMinute), countOf(counter.ofMonth));
      }
    }
  }
  if (touched.size === 0) return reply;

  const raisedUnder = (incarnation: string) =>
    [...raises].map(([field, by]) => {
      const named = field.replace('?', incarnation);
      return { field: named, before: wholeOf(usage.get(named) ?? '0'), by };
    });
  const isReadable = (incarnation: string) =>
    raisedUnder(incarnation).every(({ before }) => before !== null);
  const held = usage.get('incarnation') ?? '';
  const isKnown = usage.get('epoch') === epoch && wholeOf(usage.get('minute')) !== null;
  const goesOn = isKnown && /^[0-9A-Za-z]{1,64}$/.test(held) && isReadable(held);
  const incarnation = goesOn ? held : freshId;
  if (!isReadable(incarnation)) {
    return { error: 'CEIBA usage fields of a fresh incarnation exist' };
  }

  for (const [index, counter] of counters.entries()) {
    const isWritten = counter !== null && counter !== UNSEEDED && touched.has(counter);
    if (isWritten) state.strings.set(counterKeys[index] ?? '', textOf(counter));
    reply.push(isWritten ? counter.lineage : '');
  }
  const fields = raisedUnder(incarnation).map(({ field, before, by }) => {
    return [field, (before ?? 0) + by] as const;
  });
  usage.set('epoch', epoch).set('incarnation', incarnation).set('minute', `${minute}`);
  for (const [field, number] of fields) usage.set(field, `${number}`);
  state.hashes.set(usageKey, usage);
  return [...reply, ...fields.flat()];
}

const UNSEEDED = 'needs a seed';

/** A counter brought to a minute, as of a moment before any charge of the call. */
function counterIn(
  minute: number,
  epoch: string,
  freshId: string,
  { seedMonth, seed, seen }: Known,
  stored: Counter | null,
): Counter | typeof UNSEEDED {
  const month = monthOf(minute);
  const isOfMonth = stored !== null && monthOf(stored.minute) === month;
  const isBelieved = isOfMonth && stored.epoch === epoch;
  if (!isBelieved && seedMonth !== month) return UNSEEDED;
  const lineage = isBelieved ? stored.lineage : freshId;
  const isSameLineage = seen.lineage === lineage;
  let ofMinute = stored?.minute === minute ? stored.ofMinute : { base: 0, own: 0 };
  let ofMonth = isOfMonth ? stored.ofMonth : { base: 0, own: 0 };
  if (seedMonth === month) ofMonth = raised(ofMonth, seed);
  if (!isBelieved) [ofMinute, ofMonth] = [begun(ofMinute), begun(ofMonth)];
  if (seen.minute === minute) ofMinute = resumed(ofMinute, seen.minuteCount, isSameLineage);
  if (monthOf(seen.minute) === month) ofMonth = resumed(ofMonth, seen.monthCount, isSameLineage);
  return { epoch, lineage, minute, ofMinute: { ...ofMinute }, ofMonth: { ...ofMonth } };
}

/** Months before minutes (rule all-or-nothing). */
function outcomeOf({ scopes }: Charge, counters: readonly Counter[]): string {
  const isFull = (tally: 'ofMonth' | 'ofMinute', limit: 'quota' | 'ratePerMinute') =>
    scopes.some((scope, index) => countOf((counters[index] as Counter)[tally]) >= scope[limit]);
  if (isFull('ofMonth', 'quota')) return 'quota_exceeded';
  return isFull('ofMinute', 'ratePerMinute') ? 'rate_limited' : 'allowed';
}

/** Runs `trim.lua` on a state and changes it. */
export function trimByReference(
  state: RedisState,
  keys: readonly string[],
  args: readonly string[],
  { timeMs }: RedisServerFacts,
): ScriptReply {
  const [key = ''] = keys;
  const [judgedBy, ...pairs] = args;
  if (state.hashes.get(key) === null) return WRONG_TYPE;
  const usage = state.hashes.get(key);
  const stored = numberOf(usage?.get('minute'));
  const judged = numberOf(judgedBy);
  if (!usage || stored === null || judged === null) return 0;
  if (Math.max(stored, Math.floor(timeMs / 60_000)) < judged) return 0;
  let removed = 0;
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const field = pairs[at] as string;
    if (usage.get(field) === pairs[at + 1] && usage.delete(field)) removed += 1;
  }
  if (removed > 0) usage.set('minute', `${Math.max(stored, judged)}`);
  return removed;
}

/** The total of Postgres is the lower bound of the month's base; the lineage's own count is added. */
const raised = ({ base, own }: Tally, seed: number): Tally => ({
  base: base + Math.max(0, seed - base - own),
  own,
});

const begun = (tally: Tally): Tally => ({ base: countOf(tally), own: 0 });

/** Counts seen in another lineage are older than this one; in the same one, the later count wins. */
const resumed = ({ base, own }: Tally, seen: number, isSameLineage: boolean): Tally =>
  isSameLineage ? { base, own: Math.max(own, seen - base) } : { base: Math.max(base, seen), own };

/** Year × 12 + month, with January = 0. */
export function monthOf(minute: number): number {
  const eras = Math.floor(minute / MINUTES_A_400_YEARS);
  const date = new Date((minute - eras * MINUTES_A_400_YEARS) * 60_000);
  return (eras * 400 + date.getUTCFullYear()) * 12 + date.getUTCMonth();
}

/** The calendar repeats after 400 years; the range of `Date` is smaller than that of a counter. */
const MINUTES_A_400_YEARS = 146_097 * 1_440;

function epochOf({ server, replication }: RedisServerFacts['info']): string {
  const reported = (name: string, text: string) =>
    new RegExp(`^${name}:(.{16})`, 'm').exec(text)?.[1] ?? '';
  return `e${reported('run_id', server)}${reported('master_replid', replication)}`;
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,14}$/.test(text) ? Number(text) : null;
}

/** A time argument may be any number, while a count has to be whole. */
const numberOf = (text: string | undefined) =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;

const limitOf = (text: string | undefined) => (text === '-1' ? Infinity : wholeOf(text));

const areWhole = (texts: readonly string[]) => texts.every((text) => /^\d+$/.test(text));

function parseKnown(text: string): Known | null {
  const [scopeName = '', seedMonth = '', seed = '', lineage = '', ...counts] = text.split(' ');
  const numbers = [seedMonth, seed, ...counts];
  const sum = numbers.reduce((total, number) => total + Number(number), 0);
  if (numbers.length !== 5 || !areWhole(numbers) || sum >= 1e14) return null;
  if (scopeName === '' || lineage === '') return null;
  const [minute = 0, minuteCount = 0, monthCount = 0] = counts.map(Number);
  const seen = { lineage, minute, minuteCount, monthCount };
  return { scopeName, seedMonth: Number(seedMonth), seed: Number(seed), seen };
}

function parseCharge(text: string): Charge | null {
  const [deadline = '', apiKeyId = '', policyId = '', ...parts] = text.split(' ');
  // Spaces after the first scope do not matter.
  const scopes = parts.filter((part, index) => index === 0 || part !== '').map(parseScope);
  if (!areWhole([deadline]) || apiKeyId === '' || policyId === '') return null;
  if (scopes.length === 0 || !scopes.every((scope) => scope !== null)) return null;
  return { deadlineMs: Number(deadline), apiKeyId, policyId, scopes };
}

function parseScope(text: string): Charge['scopes'][number] | null {
  const [place = '', rate, quota, ...more] = text.split(':');
  const [ratePerMinute, most] = [limitOf(rate), limitOf(quota)];
  if (!areWhole([place]) || ratePerMinute === null || most === null || more.length > 0) return null;
  return { place: Number(place), ratePerMinute, quota: most };
}

const COUNTER = /^([^:]+):([^: ]+):(\d+):(\d+):(\d+):(\d+):(\d+)$/;

function parseCounter(text: string | null | undefined): Counter | null {
  const [, epoch = '', lineage = '', ...rest] = COUNTER.exec(text ?? '') ?? [];
  const numbers = rest.map(Number);
  if (numbers.length === 0 || numbers.reduce((sum, number) => sum + number) >= 1e14) return null;
  const [minute = 0, minuteBase = 0, minuteCount = 0, monthBase = 0, monthCount = 0] = numbers;
  return {
    epoch,
    lineage,
    minute,
    ofMinute: { base: minuteBase, own: minuteCount - minuteBase },
    ofMonth: { base: monthBase, own: monthCount - monthBase },
  };
}

function textOf({ epoch, lineage, minute, ofMinute, ofMonth }: Counter): string {
  const tallies = [ofMinute, ofMonth].flatMap((tally) => [tally.base, countOf(tally)]);
  return [epoch, lineage, minute, ...tallies].join(':');
}
