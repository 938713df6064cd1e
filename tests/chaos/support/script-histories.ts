import {
  chargeByReference,
  copyState,
  emptyState,
  numberOfPeriod,
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
  const ofMonth = () =>
    Date.UTC(random.int(1972, 2400), random.int(0, 11), random.pick([1, 1, 2, 15, 28])) -
    random.int(0, 90_000);
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
  /** Of the project a calendar month; of the others also days, and months from another day. */
  const periods = new Map(
    COUNTERS.map((key, index) => [key, index === 0 ? 1 : random.pick([1, 1, 0, 2, 15, 28])]),
  );
  const someLimits = () => [
    random.pick([-1, 0, 1, 2, 3, 5, 9, 1000, 1000]),
    random.pick([-1, -1, 0, 4, 7, 12, 20, 1000, 1e12]),
  ];
  const limits = new Map(COUNTERS.map((key) => [key, someLimits()]));
  const seen = [new Map<string, string>(), new Map<string, string>()];
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
        cost: random.chance(0.7) ? 1 : random.pick([0, 2, 5, 1e6]),
        name: `${apiKeyId}|${random.pick(['p1', 'p2'])}`,
        counters: countersOf(apiKeyId),
        // A plan that changed between two charges of a call.
        rate: random.chance(0.05) ? random.int(0, 3) : null,
      };
    });
    const counters = [...new Set(charges.flatMap((each) => each.counters))];
    const argsWith = (seedMinute: number | null, seedOf: () => number): ChargeArguments => {
      const knowns = counters.flatMap((key) => {
        const period = periods.get(key) ?? 1;
        const isSeeded = seedMinute !== null && random.chance(0.9);
        const shift = random.chance(0.03) ? random.pick([-1, 1]) : 0;
        const seedPeriod = isSeeded ? numberOfPeriod(period, seedMinute) + shift : 0;
        const scope = key.replace('{p}:counter:', '');
        return [scope, period, bySeen.get(key) ?? '', seedPeriod, isSeeded ? seedOf() : 0];
      });
      const kinds = new Map<string, readonly (string | number)[]>();
      const asked = charges.flatMap(({ deadline, cost, name, counters: own, rate }) => {
        const scopes = own.flatMap((key) => {
          const [ofMinute = -1, ofPeriod = -1] = limits.get(key) ?? [];
          return [counters.indexOf(key) + 1, rate ?? ofMinute, ofPeriod];
        });
        const kind = [cost, name, ...scopes];
        kinds.set(JSON.stringify(kind), kind);
        return [deadline, [...kinds.keys()].indexOf(JSON.stringify(kind)) + 1];
      });
      return { knowns, kinds: [...kinds.values()], asked };
    };
    const textsOf = ({ knowns, kinds, asked }: ChargeArguments) => [
      freshId,
      JSON.stringify(knowns),
      JSON.stringify([kinds, asked]),
    ];
    const someSeed = () => random.pick([0, 0, 1, 2, 3, 6]);
    let args = argsWith(null, () => 0);
    if (random.chance(0.05)) args = argsWith(facts.timeMs / MINUTE_MS, someSeed);
    if (random.chance(0.1)) args = corrupted(args, random);
    const keys = [USAGE, ...counters];
    let reply = call('charge', textsOf(args), keys);
    if (Array.isArray(reply) && reply.includes('reseed') && random.chance(0.95)) {
      const seeded = argsWith(Number(reply[1]), someSeed);
      const sent = random.chance(0.05) ? corrupted(seeded, random) : seeded;
      reply = call('charge', textsOf(sent), keys);
    }
    if (random.chance(0.2) || !Array.isArray(reply)) return;
    for (const key of counters) {
      const written = state.strings.get(key);
      if (written && reply.includes(written)) bySeen.set(key, written);
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
    else if (dice <= 85) random.pick(seen).clear();
    else if (dice <= 86) limits.set(random.pick(COUNTERS), someLimits());
    else if (dice <= 88) kept = copyState(state);
    else if (dice <= 90) put(copyState(kept));
    else if (dice <= 92) put(emptyState());
    else if (dice <= 96) put(withSpoiledCounter(state, random));
    else put(withSpoiledUsage(state, random, newId));
  }
  return steps;
}

interface ChargeArguments {
  /** Five of each counter. */
  knowns: readonly (string | number)[];
  kinds: readonly (readonly (string | number)[])[];
  /** Deadlines, and the kinds that they belong to. */
  asked: readonly number[];
}

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
function corrupted(args: ChargeArguments, random: Random): ChargeArguments {
  const { knowns, kinds, asked } = args;
  const what = random.int(1, 4);
  if (what === 1) return { ...args, asked: asked.with(-1, random.pick([0, 99])) };
  if (what === 2) {
    const at = random.int(0, knowns.length - 1);
    const known = `${knowns[at]}`;
    const others: (readonly (string | number)[])[] = [
      ['x'],
      [29, -1, 0.5, 28],
      ['garbage', `${known}:1`, known.replace(/:/, '')],
      [-1, 0.5, 1e14, 1],
      [-1, 0.5, 1e14, 1e14 - 1],
    ];
    return { ...args, knowns: knowns.with(at, random.pick(others[at % 5] ?? [])) };
  }
  const at = random.int(0, kinds.length - 1);
  const kind = kinds[at] ?? [];
  if (what === 3) {
    return { ...args, kinds: kinds.with(at, kind.slice(0, random.int(2, kind.length - 1))) };
  }
  const part = random.pick([0, ...kind.keys()].filter((place) => place !== 1));
  const others = part === 0 ? [-1, 0.5, 1_000_001, 1e6] : [0, 99, 0.5, -1, -2];
  return { ...args, kinds: kinds.with(at, kind.with(part, random.pick(others))) };
}

function withSpoiledCounter(before: RedisState, random: Random): RedisState {
  const state = copyState(before);
  const key = random.pick([...state.strings.keys(), ...COUNTERS.slice(0, 2)]);
  const held = state.strings.get(key) ?? '';
  const [epoch = '', lineage = '', ...numbers] = held.split(':');
  const withNumbers = (change: (number: number, index: number) => number | string) =>
    [epoch, lineage, ...numbers.map((number, index) => change(Number(number), index))].join(':');
  const at = random.int(0, 7);
  const kind = random.int(1, 8);
  if (kind === 1) state.strings.delete(key);
  else if (kind === 2) state.strings.set(key, null);
  else if (kind === 3)
    state.strings.set(key, random.pick(['garbage', '', `${held}:1`, `-${held}`]));
  else if (kind === 4) state.strings.set(key, held.replace(/\d+$/, random.pick(['0.5', '-1'])));
  else if (kind === 5) {
    // All numbers together are less than 10^14.
    const place = 1 + (at % 4);
    const others = numbers.reduce((sum, number, index) => sum + (index === place ? 0 : +number), 0);
    const huge = random.pick(['9'.repeat(14), '9'.repeat(400), `${1e14 - others - (at % 2)}`]);
    state.strings.set(
      key,
      withNumbers((number, index) => (index === place ? huge : number)),
    );
  } else if (kind === 6) {
    state.strings.set(key, held.replace(/^e/, 'f'));
  } else {
    // A counter of another server or an older snapshot: other numbers, all of them valid.
    const shift = random.pick([-1, 1, 2]);
    const changed = at % 5 === 0 ? shift * random.pick([1, 60, 1440 * 31]) : shift;
    state.strings.set(
      key,
      withNumbers((number, index) => (index === at % 5 ? Math.max(0, number + changed) : number)),
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
    const text = random.pick(['x', '', '-1', '1.5', '9'.repeat(14), 'x|y', newId()]);
    if (random.chance(0.3)) usage.delete(field);
    else if (random.chance(0.4)) {
      for (const count of [...usage.keys()].filter((it) => it.includes('|')))
        usage.set(count, text);
    } else usage.set(field, text);
    if (usage.size === 0) state.hashes.delete(USAGE);
  }
  return state;
}
