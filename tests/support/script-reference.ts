/**
 * A second implementation of `charge.lua` and `trim.lua`, in TypeScript and with another structure,
 * written from the rules of docs/consistency.md. Tests compare the scripts with it command by command.
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

/** A count in a window: the base of the lineage, and the calls allowed since (rule 12). */
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

interface Scope {
  key: string;
  name: string;
  ratePerMinute: number;
  quota: number;
  seed: number;
  seen: { lineage: string; minute: number; minuteCount: number; monthCount: number };
}

interface Charge {
  usageKey: string;
  deadlineMs: number;
  freshId: string;
  apiKeyId: string;
  policyId: string;
  seedMonth: number;
  scopes: Scope[];
}

const countOf = ({ base, own }: Tally) => base + own;

/** Runs `charge.lua` on a state and changes it. */
export function chargeByReference(
  state: RedisState,
  keys: readonly string[],
  args: readonly string[],
  { timeMs, info }: RedisServerFacts,
): ScriptReply {
  const charge = parseCharge(keys, args);
  if ('error' in charge) return charge;
  if (timeMs > charge.deadlineMs) return ['late', timeMs];

  const { scopes, usageKey, freshId } = charge;
  const usage = state.hashes.has(usageKey) ? state.hashes.get(usageKey) : new Map();
  if (!usage) return WRONG_TYPE;
  const epoch = epochOf(info);
  const stored = scopes.map(({ key }) => parseCounter(state.strings.get(key)));
  const minute = Math.max(
    Math.floor(timeMs / 60_000),
    wholeOf(usage.get('minute')) ?? 0,
    ...scopes.map(({ seen }) => seen.minute),
    ...stored.map((counter) => counter?.minute ?? 0),
  );
  const month = monthOf(minute);

  const isBelieved = (counter: Counter | null) =>
    counter?.epoch === epoch && monthOf(counter.minute) === month;
  if (!stored.every(isBelieved) && charge.seedMonth !== month) return ['reseed', timeMs, month];

  const counters = scopes.map(({ seed, seen }, index): Counter => {
    const held = stored[index] ?? null;
    const goesOn = isBelieved(held);
    const lineage = goesOn && held ? held.lineage : freshId;
    const isSameLineage = seen.lineage === lineage;
    let ofMinute = held?.minute === minute ? held.ofMinute : { base: 0, own: 0 };
    let ofMonth = held && monthOf(held.minute) === month ? held.ofMonth : { base: 0, own: 0 };
    if (charge.seedMonth === month) ofMonth = raised(ofMonth, seed);
    if (!goesOn) [ofMinute, ofMonth] = [begun(ofMinute), begun(ofMonth)];
    if (seen.minute === minute) ofMinute = resumed(ofMinute, seen.minuteCount, isSameLineage);
    if (monthOf(seen.minute) === month) ofMonth = resumed(ofMonth, seen.monthCount, isSameLineage);
    return { epoch, lineage, minute, ofMinute, ofMonth };
  });

  const hasFull = (isFull: (counter: Counter, scope: Scope) => boolean) =>
    scopes.some((scope, index) => isFull(counters[index] as Counter, scope));
  const outcome = hasFull(({ ofMonth }, { quota }) => countOf(ofMonth) >= quota)
    ? 'quota_exceeded'
    : hasFull(({ ofMinute }, { ratePerMinute }) => countOf(ofMinute) >= ratePerMinute)
      ? 'rate_limited'
      : 'allowed';

  const fieldsUnder = (incarnation: string) => [
    `h|${incarnation}|${Math.floor(minute / 60)}|${charge.apiKeyId}|${charge.policyId}|${outcome}`,
    ...(outcome === 'allowed' ? scopes : []).map(({ name }) => `m|${incarnation}|${month}|${name}`),
  ];
  const isReadable = (incarnation: string) =>
    fieldsUnder(incarnation).every((field) => wholeOf(usage.get(field) ?? '0') !== null);
  const known = usage.get('incarnation');
  const isKnown = usage.get('epoch') === epoch && wholeOf(usage.get('minute')) !== null;
  const incarnation = isKnown && known !== undefined && isReadable(known) ? known : freshId;
  if (!isReadable(incarnation)) {
    return { error: 'CEIBA usage fields of a fresh incarnation exist' };
  }

  if (outcome === 'allowed') {
    for (const { ofMinute, ofMonth } of counters) {
      ofMinute.own += 1;
      ofMonth.own += 1;
    }
  }
  for (const [index, { key }] of scopes.entries()) {
    state.strings.set(key, textOf(counters[index] as Counter));
  }
  usage.set('epoch', epoch).set('incarnation', incarnation).set('minute', `${minute}`);
  const numbers = fieldsUnder(incarnation).map((field) => {
    const number = Number(usage.get(field) ?? 0) + 1;
    usage.set(field, `${number}`);
    return number;
  });
  state.hashes.set(usageKey, usage);
  const counts = counters.flatMap(({ lineage, ofMinute, ofMonth }) => [
    lineage,
    countOf(ofMinute),
    countOf(ofMonth),
  ]);
  return [outcome, timeMs, minute, month, incarnation, ...counts, ...numbers];
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

function parseCharge(keys: readonly string[], args: readonly string[]): Charge | { error: string } {
  const [usageKey = '', ...counterKeys] = keys;
  const [deadline, freshId = '', apiKeyId = '', policyId = '', seedMonth] = args;
  const scopes: Scope[] = [];
  for (const [index, key] of counterKeys.entries()) {
    const [name, rate, quota, seed, lineage = '', minute, minuteCount, monthCount] = args.slice(
      5 + 8 * index,
    );
    const numbers = {
      ratePerMinute: limitOf(rate),
      quota: limitOf(quota),
      seed: wholeOf(seed),
      minute: wholeOf(minute),
      minuteCount: wholeOf(minuteCount),
      monthCount: wholeOf(monthCount),
    };
    if (name === undefined || !areAll(numbers)) {
      return { error: `CEIBA malformed argument for counter ${index + 1}` };
    }
    const { ratePerMinute, quota: most, seed: known, ...seen } = numbers;
    scopes.push({ key, name, ratePerMinute, quota: most, seed: known, seen: { lineage, ...seen } });
  }
  const numbers = { deadlineMs: wholeOf(deadline), seedMonth: wholeOf(seedMonth) };
  if (scopes.length === 0 || !areAll(numbers)) return { error: 'CEIBA malformed argument' };
  return { usageKey, freshId, apiKeyId, policyId, scopes, ...numbers };
}

function areAll<T extends object>(
  fields: T,
): fields is T & { [Name in keyof T]: NonNullable<T[Name]> } {
  return Object.values(fields).every((value) => value !== null);
}

const COUNTER = /^([0-9A-Za-z]+):([0-9A-Za-z]+):(\d+):(\d+):(\d+):(\d+):(\d+)$/;

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
