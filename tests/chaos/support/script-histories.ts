import {
  chargeByReference,
  copyState,
  emptyState,
  monthOf,
  type RedisServerFacts,
  type RedisState,
  type ScriptReply,
  trimByReference,
} from '../../support/script-reference.ts';
import { createRandom, type Random } from './random.ts';

/** One step on a Redis: a state to set, or a script to run. */
export type ScriptStep = { kind: 'put'; state: RedisState } | ScriptCall;

export interface ScriptCall {
  kind: 'call';
  script: 'charge' | 'trim';
  keys: readonly string[];
  args: readonly string[];
  facts: RedisServerFacts;
  /** The reply and the resulting data of the reference. */
  expected: { reply: ScriptReply; state: RedisState };
}

const USAGE = '{p}:usage';
/** The counters of a project, of two keys, and of something that both keys share. */
const COUNTERS = ['project', 'k1', 'k2', 'other'].map((name) => `{p}:counter:${name}`);
const MINUTE_MS = 60_000;
const CALLS_A_HISTORY = 30;

/** Times where calendars go wrong: ends of months, leap days, centuries. Also arbitrary times. */
function startOf(random: Random): number {
  const edges = [
    ...['2026-11-18T10:30:59.998Z', '2026-11-30T23:59:58Z', '2026-12-31T23:58:59.999Z'],
    ...['2028-02-28T23:59:30Z', '2028-02-29T23:59:30Z', '2100-02-28T23:59:50Z'],
    ...['2000-02-29T23:59:50Z', '2400-02-29T12:00:00Z', '2400-02-29T23:59:50Z', '1971-01-01Z'],
  ];
  const ofMonth = () => Date.UTC(random.int(1972, 2400), random.int(0, 11)) - random.int(0, 90_000);
  if (random.chance(0.5)) return Date.parse(random.pick(edges));
  return random.chance(0.7) ? ofMonth() : random.int(1e8, 14e9) * 1000;
}

/**
 * A sequence of charges and trims by two Runtimes, with clocks that step, servers that lose or change
 * their data, and arguments that no Runtime sends; each with its expected result.
 *
 * @param seed the same seed gives the same sequence
 */
export function scriptHistory(seed: string): ScriptStep[] {
  const random = createRandom(seed);
  const hasOther = random.chance(0.2);
  /** The project last in some, so that no counter is always the first. */
  const countersOf = (apiKeyId: string) => {
    const own = [`{p}:counter:${apiKeyId}`, ...(hasOther ? ['{p}:counter:other'] : [])];
    const chosen = isKeyAlone ? own : ['{p}:counter:project', ...own];
    return isReversed ? chosen.reverse() : chosen;
  };
  const [isKeyAlone, isReversed] = [random.chance(0.1), random.chance(0.2)];
  const limits = new Map(
    COUNTERS.map((key) => [
      key,
      [
        random.pick([-1, 0, 1, 2, 3, 5, 9, 1000, 1000]),
        random.pick([-1, -1, 0, 4, 7, 12, 20, 1000, 99_999_999_999_999]),
      ],
    ]),
  );
  const seen = [new Map<string, Seen>(), new Map<string, Seen>()];
  const facts = { timeMs: startOf(random), info: infoOf(random, random.chance(0.2)) };
  const steps: ScriptStep[] = [];
  let state = emptyState();
  let kept = emptyState();
  let names = 0;
  const newId = () => {
    names += 1;
    return `id${names}x${random.int(0, 9)}`;
  };

  const call = (
    script: ScriptCall['script'],
    args: readonly (string | number)[],
    keys: readonly string[] = [USAGE],
  ) => {
    const run = script === 'charge' ? chargeByReference : trimByReference;
    const called = { keys, args: args.map(String), facts: { ...facts } };
    const reply = run(state, called.keys, called.args, called.facts);
    const expected = { reply, state: copyState(state) };
    steps.push({ kind: 'call', script, ...called, expected });
    return reply;
  };
  const put = (next: RedisState) => {
    state = next;
    steps.push({ kind: 'put', state: copyState(state) });
  };

  /** A call of one charge, or of several that share counters. */
  const charge = () => {
    const bySeen = random.pick(seen);
    const known = state.hashes.get(USAGE)?.get('incarnation');
    const freshId = known && random.chance(0.05) ? known : newId();
    const charges = Array.from({ length: random.pick([1, 1, 1, 2, 3, 6]) }, () => {
      const apiKeyId = random.pick(['k1', 'k1', 'k2']);
      const late = random.pick([0, 1, -1, -30_000]);
      return {
        deadline: facts.timeMs + (random.chance(0.15) ? late : 500),
        names: `${apiKeyId} ${random.pick(['p1', 'p2'])}`,
        counters: countersOf(apiKeyId),
        // A plan that changed between two charges of a call.
        rate: random.chance(0.05) ? random.int(0, 3) : null,
      };
    });
    const counters = [...new Set(charges.flatMap((each) => each.counters))];
    const argsWith = (seedMonth: number, seedOf: () => number) => [
      freshId,
      ...counters.map((key) => {
        const { lineage, minute, minuteCount, monthCount } = bySeen.get(key) ?? NOTHING_SEEN;
        const month = random.chance(0.9) ? seedMonth : 0;
        const seed = month === 0 ? 0 : seedOf();
        const scope = key.replace('{p}:counter:', '');
        return [scope, month, seed, lineage, minute, minuteCount, monthCount].join(' ');
      }),
      ...charges.map(({ deadline, names, counters: own, rate }) => {
        const scopes = own.map((key) => {
          const [ofMinute = -1, ofMonth = -1] = limits.get(key) ?? [];
          return `${counters.indexOf(key) + 2}:${rate ?? ofMinute}:${ofMonth}`;
        });
        return [deadline, names, ...scopes].join(' ');
      }),
    ];
    const someSeed = () => random.pick([0, 0, 1, 2, 3, 6]);
    let args = argsWith(0, () => 0);
    if (random.chance(0.05)) args = argsWith(monthOf(facts.timeMs / MINUTE_MS), someSeed);
    if (random.chance(0.1)) args = corrupted(args, random);
    const keys = [USAGE, ...counters];
    let reply = call('charge', args, keys);
    if (Array.isArray(reply) && reply.includes('reseed') && random.chance(0.95)) {
      const seedMonth = Number(reply[2]) + (random.chance(0.05) ? random.pick([-1, 1]) : 0);
      reply = call('charge', argsWith(seedMonth, someSeed), keys);
    }
    // What was seen is what the counters hold; a Runtime takes it from the reply.
    if (random.chance(0.2)) return;
    const minute = Array.isArray(reply) ? Number(reply[1]) : Number.NaN;
    for (const key of counters) {
      const [, lineage = '', of, , minuteCount, , monthCount] =
        state.strings.get(key)?.split(':') ?? [];
      if (Number(of) !== minute || !Array.isArray(reply) || !reply.includes(lineage)) continue;
      bySeen.set(key, {
        lineage,
        minute,
        minuteCount: Number(minuteCount),
        monthCount: Number(monthCount),
      });
    }
  };

  const trim = () => {
    const usage = state.hashes.get(USAGE);
    const now = Math.floor(facts.timeMs / MINUTE_MS);
    const stored = Number(usage?.get('minute') ?? now) || now;
    const judgedBy = random.pick([now, now, stored, stored, stored + 1, now + 1, now - 1, 'x']);
    const pairs = [...(usage ?? [])]
      .filter(([field]) => field.includes('|') && random.chance(0.6))
      .flatMap(([field, number]) => [field, random.chance(0.8) ? number : `${Number(number) + 1}`]);
    if (random.chance(0.2)) pairs.push('h|gone|1|k|p|allowed', '3');
    if (random.chance(0.1)) pairs.push('odd');
    call('trim', [judgedBy, ...pairs]);
  };

  while (steps.filter(({ kind }) => kind === 'call').length < CALLS_A_HISTORY) {
    const dice = random.int(1, 100);
    if (dice <= 58) charge();
    else if (dice <= 64) trim();
    else if (dice <= 72) facts.timeMs += random.int(0, 70_000);
    else if (dice <= 77) facts.timeMs += random.int(0, 40 * 1440) * MINUTE_MS;
    else if (dice <= 82) facts.timeMs -= random.int(0, 1440) * MINUTE_MS;
    else if (dice <= 84) facts.info = infoOf(random, random.chance(0.2));
    else if (dice <= 86) random.pick(seen).clear();
    else if (dice <= 88) kept = copyState(state);
    else if (dice <= 90) put(copyState(kept));
    else if (dice <= 92) put(emptyState());
    else if (dice <= 96) put(withSpoiledCounter(state, random));
    else put(withSpoiledUsage(state, random, newId));
  }
  return steps;
}

interface Seen {
  lineage: string;
  minute: number;
  minuteCount: number;
  monthCount: number;
}

const NOTHING_SEEN: Seen = { lineage: '-', minute: 0, minuteCount: 0, monthCount: 0 };

function infoOf(random: Random, isTerse: boolean): RedisServerFacts['info'] {
  const hex = (digit: string) => digit.repeat(40);
  const runId = isTerse ? '' : `run_id:${hex(random.pick(['a', 'b']))}\r\n`;
  const replid = `master_replid:${hex(random.pick(['c', 'd']))}\r\n`;
  return {
    server: `# Server\r\nredis_version:7.0.15\r\n${runId}tcp_port:6379\r\n\r\n`,
    replication: `# Replication\r\nrole:master\r\n${replid}second_repl_offset:-1\r\n\r\n`,
  };
}

/** Arguments that no Runtime sends: a part of one is missing, of another form, or there twice. */
function corrupted(args: readonly string[], random: Random): string[] {
  const at = random.int(1, args.length - 1);
  const text = args[at] ?? '';
  if (random.chance(0.1)) return args.with(at, random.pick(['', ' ', `${text} `, ` ${text}`]));
  if (random.chance(0.1)) return args.with(-1, (args.at(-1) ?? '').split(' ', 3).join(' '));
  const parts = text.split(/( |:)/);
  const part = random.int(0, parts.length - 1);
  const isName = !/^-?\d+$/.test(parts[part] ?? '');
  const others = isName
    ? ['', ' ', ':', 'x y']
    : ['', 'x', '-2', '0.5', '5x', 'nan', '99', '1', '9'.repeat(14), '1'.padEnd(15, '0')];
  if (random.chance(0.2)) return args.with(at, parts.slice(0, part).join(''));
  return args.with(at, parts.with(part, random.pick(others)).join(''));
}

function withSpoiledCounter(before: RedisState, random: Random): RedisState {
  const state = copyState(before);
  const key = random.pick([...state.strings.keys(), ...COUNTERS.slice(0, 2)]);
  const held = state.strings.get(key) ?? '';
  const [epoch = '', lineage = '', ...numbers] = held.split(':');
  const withNumbers = (change: (number: number, index: number) => number | string) =>
    [epoch, lineage, ...numbers.map((number, index) => change(Number(number), index))].join(':');
  const at = random.int(0, 4);
  const kind = random.int(1, 8);
  if (kind === 1) state.strings.delete(key);
  else if (kind === 2) state.strings.set(key, null);
  else if (kind === 3)
    state.strings.set(key, random.pick(['garbage', '', `${held}:1`, `-${held}`]));
  else if (kind === 4) state.strings.set(key, held.replace(/\d+$/, random.pick(['0.5', '-1'])));
  else if (kind === 5) {
    const huge = random.pick(['99999999999999', '9'.repeat(400), '90000000000']);
    const place = huge.length === 11 ? 1 + (at % 4) : at; // so many minutes are out of the range of dates
    state.strings.set(
      key,
      withNumbers((number, index) => (index === place ? huge : number)),
    );
  } else if (kind === 6) {
    state.strings.set(key, held.replace(/^e/, 'f'));
  } else {
    // A counter of another server or an older snapshot: other numbers, all of them valid.
    const shift = random.pick([-1, 1, 2]);
    const changed = at === 0 ? shift * random.pick([1, 60, 1440 * 31]) : shift;
    state.strings.set(
      key,
      withNumbers((number, index) => (index === at ? Math.max(0, number + changed) : number)),
    );
  }
  return state;
}

function withSpoiledUsage(before: RedisState, random: Random, newId: () => string): RedisState {
  const state = copyState(before);
  const usage = state.hashes.get(USAGE);
  const isLong = () => random.chance(0.1);
  if (random.chance(0.1)) state.hashes.set(USAGE, null);
  else if (!usage || random.chance(0.1)) state.hashes.delete(USAGE);
  else if (isLong()) usage.set('incarnation', 'x'.repeat(random.pick([64, 65])));
  else {
    const field = random.pick([...usage.keys()]);
    const text = random.pick(['x', '', '-1', '1.5', 'x|y', newId()]);
    if (random.chance(0.3)) usage.delete(field);
    else if (random.chance(0.4)) {
      for (const count of [...usage.keys()].filter((it) => it.includes('|')))
        usage.set(count, text);
    } else usage.set(field, text);
    if (usage.size === 0) state.hashes.delete(USAGE);
  }
  return state;
}
