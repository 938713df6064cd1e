/**
 * A second implementation of `charge.lua`, with the files that are read before it, and of `trim.lua`, in
 * TypeScript and with another structure, written from the rules of docs/reference/consistency.md.
 * Tests compare the scripts with it command by command.
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

/** A count in a window: the base of the lineage, and what was allowed since (rule seen-counts). */
interface Tally {
  base: number;
  own: number;
}

interface Counter {
  epoch: string;
  lineage: string;
  minute: number;
  ofMinute: Tally;
  ofPeriod: Tally;
}

/** What a quota counts over: 1 to 28 is a month that begins on that day, 0 is a day. */
type Period = number;

/** What a caller says of a counter. */
interface Known {
  scopeName: string;
  period: Period;
  seedPeriod: number;
  seed: number;
  seen: Counter | null;
}

/** What charges that differ only in their deadlines have in common. */
interface Kind {
  cost: number;
  name: string;
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
  const [knownParts, [kindParts, charges]] = texts.map((text) => JSON.parse(text)) as [
    unknown[],
    [unknown[][], number[]],
  ];
  const storeds = counterKeys.map((key) => parseCounter(state.strings.get(key)));
  const knowns = counterKeys.map((_, index) => knownOf(knownParts.slice(5 * index, 5 * index + 5)));
  const seens = counterKeys.map((_, index) => parseCounter(`${knownParts[5 * index + 2]}`));
  const minute = Math.max(
    Math.floor(timeMs / 60_000),
    wholeOf(usage.get('minute')) ?? 0,
    ...[...seens, ...storeds].map((counter) => counter?.minute ?? 0),
  );
  const counters = knowns.map((known, index) => {
    return known && counterIn(minute, epoch, freshId, known, storeds[index] ?? null);
  });

  const reply: (string | number)[] = [timeMs, minute];
  const touched = new Set<Counter>();
  const raises = new Map<string, number>();
  const raise = (field: string, by: number) => raises.set(field, (raises.get(field) ?? 0) + by);
  const kinds = kindParts.map(kindOf);
  for (let at = 0; at < charges.length; at += 2) {
    const [deadlineMs = 0, place = 0] = charges.slice(at);
    const kind = kinds[place - 1] ?? null;
    const own = kind?.scopes.map((scope) => counters[scope.place - 1] ?? null) ?? [null];
    if (!kind || own.includes(null)) reply.push('malformed');
    else if (timeMs > deadlineMs) reply.push('late');
    else if (own.includes(UNSEEDED)) reply.push('reseed');
    else {
      const judged = own as Counter[];
      const outcome = outcomeOf(kind, judged);
      reply.push(outcome);
      raise(hourFieldOf(kind.name, minute, outcome), 1);
      for (const [index, counter] of judged.entries()) {
        touched.add(counter);
        if (outcome !== 'allowed') continue;
        counter.ofMinute.own += 1;
        counter.ofPeriod.own += kind.cost;
        const known = knowns[(kind.scopes[index]?.place ?? 0) - 1];
        if (known && kind.cost > 0) raise(periodFieldOf(known, minute), kind.cost);
      }
    }
  }
  if (touched.size === 0) return reply;

  const order = [
    ...kindParts.flatMap(([, name]) =>
      OUTCOMES.map((outcome) => hourFieldOf(`${name}`, minute, outcome)),
    ),
    ...knowns.map((known) => known && periodFieldOf(known, minute)),
  ].filter((field) => field !== null && raises.has(field)) as string[];
  const raisedUnder = (incarnation: string) =>
    [...new Set(order)].map((field) => {
      const named = field.replace('?', incarnation);
      return { field: named, before: wholeOf(usage.get(named) ?? '0'), by: raises.get(field) ?? 0 };
    });
  const isReadable = (incarnation: string) =>
    raisedUnder(incarnation).every(({ before }) => before !== null);
  const held = usage.get('incarnation') ?? '';
  const isKnown = usage.get('epoch') === epoch && wholeOf(usage.get('minute')) !== null;
  const goesOn = isKnown && /^[0-9A-Za-z]{1,64}$/.test(held) && isReadable(held);
  const incarnation = goesOn ? held : freshId;
  if (!isReadable(incarnation)) {
    return { error: 'usage of a fresh incarnation exists' };
  }

  reply.push(incarnation);
  for (const [index, counter] of counters.entries()) {
    const isWritten = counter !== null && counter !== UNSEEDED && touched.has(counter);
    if (!isWritten) reply.push('', 0, 0);
    else {
      state.strings.set(counterKeys[index] ?? '', textOf(counter));
      reply.push(textOf(counter), countOf(counter.ofMinute), countOf(counter.ofPeriod));
    }
  }
  usage.set('epoch', epoch).set('incarnation', incarnation).set('minute', `${minute}`);
  for (const { field, before, by } of raisedUnder(incarnation)) {
    usage.set(field, `${(before ?? 0) + by}`);
    reply.push((before ?? 0) + by);
  }
  state.hashes.set(usageKey, usage);
  return reply;
}

const OUTCOMES = ['allowed', 'quota_exceeded', 'rate_limited'];

const hourFieldOf = (name: string, minute: number, outcome: string) =>
  `h|?|${Math.floor(minute / 60)}|${name}|${outcome}`;

const periodFieldOf = ({ period, scopeName }: Known, minute: number) =>
  `${period === 0 ? 'd' : 'm'}|?|${numberOfPeriod(period, minute)}|${scopeName}`;

const UNSEEDED = 'needs a seed';

/** A counter brought to a minute, as of a moment before any charge of the call. */
function counterIn(
  minute: number,
  epoch: string,
  freshId: string,
  { period, seedPeriod, seed, seen }: Known,
  stored: Counter | null,
): Counter | typeof UNSEEDED {
  const number = numberOfPeriod(period, minute);
  const isOfPeriod = stored !== null && numberOfPeriod(period, stored.minute) === number;
  const isBelieved = isOfPeriod && stored.epoch === epoch;
  if (!isBelieved && seedPeriod !== number) return UNSEEDED;
  const lineage = isBelieved ? stored.lineage : freshId;
  const isSameLineage = seen?.lineage === lineage;
  let ofMinute = stored?.minute === minute ? stored.ofMinute : { base: 0, own: 0 };
  let ofPeriod = isOfPeriod ? stored.ofPeriod : { base: 0, own: 0 };
  if (seedPeriod === number) ofPeriod = raised(ofPeriod, seed);
  if (!isBelieved) [ofMinute, ofPeriod] = [begun(ofMinute), begun(ofPeriod)];
  if (seen?.minute === minute) {
    ofMinute = resumed(ofMinute, countOf(seen.ofMinute), isSameLineage);
  }
  if (seen && numberOfPeriod(period, seen.minute) === number) {
    ofPeriod = resumed(ofPeriod, countOf(seen.ofPeriod), isSameLineage);
  }
  return { epoch, lineage, minute, ofMinute: { ...ofMinute }, ofPeriod: { ...ofPeriod } };
}

/** Periods before minutes (rule all-or-nothing); a cost of 0 fits into any quota. */
function outcomeOf({ cost, scopes }: Kind, counters: readonly Counter[]): string {
  const isAny = (test: (counter: Counter, scope: Kind['scopes'][number]) => boolean) =>
    scopes.some((scope, index) => test(counters[index] as Counter, scope));
  if (isAny(({ ofPeriod }, { quota }) => cost > 0 && countOf(ofPeriod) + cost > quota)) {
    return 'quota_exceeded';
  }
  const isLimited = isAny(({ ofMinute }, { ratePerMinute }) => countOf(ofMinute) >= ratePerMinute);
  return isLimited ? 'rate_limited' : 'allowed';
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

/** The total of Postgres is the lower bound of the period's base; the lineage's own count is added. */
const raised = ({ base, own }: Tally, seed: number): Tally => ({
  base: base + Math.max(0, seed - base - own),
  own,
});

const begun = (tally: Tally): Tally => ({ base: countOf(tally), own: 0 });

/** Counts seen in another lineage are older than this one; in the same one, the later count wins. */
const resumed = ({ base, own }: Tally, seen: number, isSameLineage: boolean): Tally =>
  isSameLineage ? { base, own: Math.max(own, seen - base) } : { base: Math.max(base, seen), own };

/** The number of the period that contains a minute. */
export const numberOfPeriod = (period: Period, minute: number) =>
  period === 0 ? Math.floor(minute / 1440) : monthOf(minute - (period - 1) * 1440);

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
    new RegExp(`^${name}:([a-z0-9]{0,16})`, 'mi').exec(text)?.[1] ?? '';
  return `e${reported('run_id', server)}${reported('master_replid', replication)}`;
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,14}$/.test(text) ? Number(text) : null;
}

/** A time argument may be any number, while a count has to be whole. */
const numberOf = (text: string | undefined) =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;

const isWhole = (value: unknown, most = 1e14 - 1): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;

/** What is seen and does not parse says nothing. */
function knownOf([scopeName, period, seen, seedPeriod, seed]: readonly unknown[]): Known | null {
  if (!isWhole(period, 28)) return null;
  if (seedPeriod !== 0 && !(isWhole(seedPeriod) && isWhole(seed))) return null;
  const [ofSeed, total] = [seedPeriod, seed] as [number, number];
  return {
    scopeName: `${scopeName}`,
    period,
    seedPeriod: ofSeed,
    seed: total,
    seen: parseCounter(`${seen}`),
  };
}

function kindOf([cost, name, ...parts]: readonly unknown[]): Kind | null {
  if (!isWhole(cost, 1e6) || parts.length === 0 || parts.length % 3 !== 0) return null;
  const numbers = parts.map((part) => (part === -1 ? Infinity : Number(part)));
  const scopes = numbers.flatMap((place, index) => {
    const [ratePerMinute = 0, quota = 0] = numbers.slice(index + 1);
    return index % 3 === 0 ? [{ place, ratePerMinute, quota }] : [];
  });
  return { cost, name: `${name}`, scopes };
}

const COUNTER = /^([a-z0-9]+):([a-z0-9]+):(\d+):(\d+):(\d+):(\d+):(\d+)$/i;

function parseCounter(text: string | null | undefined): Counter | null {
  const [, epoch = '', lineage = '', ...rest] = COUNTER.exec(text ?? '') ?? [];
  const numbers = rest.map(Number);
  if (numbers.length === 0 || numbers.reduce((sum, number) => sum + number) >= 1e14) return null;
  const [minute = 0, minuteBase = 0, minuteCount = 0, periodBase = 0, periodCount = 0] = numbers;
  return {
    epoch,
    lineage,
    minute,
    ofMinute: { base: minuteBase, own: minuteCount - minuteBase },
    ofPeriod: { base: periodBase, own: periodCount - periodBase },
  };
}

function textOf({ epoch, lineage, minute, ofMinute, ofPeriod }: Counter): string {
  const tallies = [ofMinute, ofPeriod].flatMap((tally) => [tally.base, countOf(tally)]);
  return [epoch, lineage, minute, ...tallies].join(':');
}
