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
const COUNTERS = ['{p}:counter:project', '{p}:counter:key', '{p}:counter:other'];
const NAMES = ['project', 'key', 'other'];
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
  const scopeCount = random.pick([1, 2, 2, 2, 3]);
  const keys = [USAGE, ...COUNTERS.slice(0, scopeCount)];
  const limits = NAMES.map(() => [
    random.pick([-1, 0, 1, 2, 3, 5, 9, 1000, 1000]),
    random.pick([-1, -1, 0, 4, 7, 12, 20, 1000, 99_999_999_999_999]),
  ]);
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
    keysOfCall: readonly string[] = [USAGE],
  ) => {
    const run = script === 'charge' ? chargeByReference : trimByReference;
    const called = {
      keys: keysOfCall,
      args: args.map(String),
      facts: { ...facts },
    };
    const reply = run(state, called.keys, called.args, called.facts);
    const expected = { reply, state: copyState(state) };
    steps.push({ kind: 'call', script, ...called, expected });
    return reply;
  };
  const put = (next: RedisState) => {
    state = next;
    steps.push({ kind: 'put', state: copyState(state) });
  };

  const charge = () => {
    const bySeen = random.pick(seen);
    const apiKeyId = random.pick(['k1', 'k2']);
    const policyId = random.pick(['p1', 'p2']);
    const deadline = facts.timeMs + random.pick([...Array(18).fill(500), 0, 1, -1, -30_000]);
    const known = state.hashes.get(USAGE)?.get('incarnation');
    const freshId = known && random.chance(0.05) ? known : newId();
    if (random.chance(0.01)) {
      call('charge', [deadline, freshId, apiKeyId, policyId, 0]);
      return;
    }
    const argsWith = (seedMonth: number, seeds: readonly number[]) => [
      ...[deadline, freshId, apiKeyId, policyId, seedMonth],
      ...keys.slice(1).flatMap((key, index) => {
        const { lineage, minute, minuteCount, monthCount } = bySeen.get(key) ?? NOTHING_SEEN;
        const [rate = -1, quota = -1] = limits[index] ?? [];
        const name = NAMES[index] ?? '';
        return [name, rate, quota, seeds[index] ?? 0, lineage, minute, minuteCount, monthCount];
      }),
    ];
    const someSeeds = () => keys.slice(1).map(() => random.pick([0, 0, 1, 2, 3, 6]));
    let args = argsWith(0, []);
    if (random.chance(0.05)) args = argsWith(monthOf(facts.timeMs / MINUTE_MS), someSeeds());
    if (random.chance(0.06)) args = corrupted(args, random);
    let reply = call('charge', args, keys);
    if (Array.isArray(reply) && reply[0] === 'reseed' && random.chance(0.95)) {
      const seedMonth = Number(reply[2]) + (random.chance(0.05) ? random.pick([-1, 1]) : 0);
      reply = call('charge', argsWith(seedMonth, someSeeds()), keys);
    }
    if (!Array.isArray(reply) || reply.length < 5 || random.chance(0.2)) return;
    const [, , minute, , , ...counts] = reply;
    for (const [index, key] of keys.slice(1).entries()) {
      const [lineage, minuteCount, monthCount] = counts.slice(3 * index);
      bySeen.set(key, {
        lineage: String(lineage),
        minute: Number(minute),
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
    else if (dice <= 96) put(withSpoiledCounter(state, keys, random));
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

function corrupted(args: readonly (string | number)[], random: Random): (string | number)[] {
  const at = random.int(0, args.length - 1);
  const changed = [...args];
  if (random.chance(0.2)) return changed.slice(0, at);
  // A name may be any text; a number may not.
  if (typeof args[at] === 'string') return changed;
  changed[at] = random.pick(['', 'x', '-2', '0.5', 'nan', 'inf', '100000000000000', '1e300']);
  return changed;
}

function withSpoiledCounter(
  before: RedisState,
  keys: readonly string[],
  random: Random,
): RedisState {
  const state = copyState(before);
  const key = keys[random.int(1, keys.length - 1)] ?? '';
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
  if (random.chance(0.1)) state.hashes.set(USAGE, null);
  else if (!usage || random.chance(0.1)) state.hashes.delete(USAGE);
  else {
    const field = random.pick([...usage.keys()]);
    const text = random.pick(['x', '', '-1', '1.5', newId()]);
    if (random.chance(0.3)) usage.delete(field);
    else if (random.chance(0.4)) {
      for (const count of [...usage.keys()].filter((it) => it.includes('|')))
        usage.set(count, text);
    } else if (field !== 'incarnation') usage.set(field, text);
    if (usage.size === 0) state.hashes.delete(USAGE);
  }
  return state;
}
