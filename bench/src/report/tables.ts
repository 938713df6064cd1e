import { contenderOf, echoCost, ownCpu, PROCESSES, type Process, wholeCost } from './costs.ts';
import { number, table, withSpread } from './format.ts';
import type { ContenderResult, FlatCase, Guarantee, LimitResult, Results } from './results.ts';

const UNKNOWN = '–';

const PROCESS_NAMES = {
  server: 'Node',
  redis: 'Redis',
  postgres: 'Postgres',
} as const satisfies Record<Process, string>;

/** What was measured, on what, and when. */
export function setupText({ size, takenOn, machine, sizes }: Results): string {
  const warning =
    size === 'full'
      ? ''
      : '**This was a short run, which only shows that the benchmark works. Its figures mean nothing.**\n\n';
  return `${warning}Taken on ${takenOn}: ${machine.cores} cores of ${machine.processor} for the load and all servers together, ${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}, Redis ${machine.redis}, load by ${machine.generator}. ${sizes.rounds} rounds, everything in turns; in each round ${sizes.seconds.contenders} s of each contender, ${sizes.seconds.alone} s with one connection, and ${sizes.seconds.flat} s of each case of flat cost; ${number(sizes.keys)} keys, of which ${number(sizes.keysInUse)} are in use. Each figure is the median of the rounds, with the least and the most in parentheses.`;
}

/** Throughput and latency of everything that was compared. */
export function throughputTable(results: Results): string {
  const echo = contenderOf(results, 'hono-echo').perSecond.median;
  return table(
    [
      '',
      'Connections',
      'Decisions a second',
      'Of the echo',
      'p50, ms',
      'p99, ms',
      'Alone: p50, p99, ms',
      'Wrong or no answer',
    ],
    results.contenders.map((each) => [
      each.name,
      number(each.connections),
      withSpread(each.perSecond),
      number(each.perSecond.median / echo),
      withSpread(each.p50Ms),
      withSpread(each.p99Ms),
      `${number(each.alone.p50Ms.median)}, ${number(each.alone.p99Ms.median)}`,
      number(each.unexpected),
    ]),
  );
}

/** CPU time per decision by process, in µs and as multiples of the echo. */
export function costTable(results: Results): string {
  const unit = echoCost(results);
  const cell = (micros: number | null) =>
    micros === null || unit === null ? UNKNOWN : `${number(micros)} µs (${number(micros / unit)})`;
  return table(
    ['', ...PROCESSES.map((process) => PROCESS_NAMES[process]), 'Whole decision'],
    results.contenders.map(({ name, kind, cpuMicroseconds }) => {
      const cpu = ownCpu(kind, cpuMicroseconds);
      return [
        name,
        ...PROCESSES.map((process) => cell(cpu[process]?.median ?? null)),
        cell(wholeCost(cpu)),
      ];
    }),
  );
}

const GUARANTEES = {
  freshRevocation: 'A revocation counts at once',
  oneCharge: 'All limits in one charge',
  failClosed: 'Fails closed',
  pathPolicies: 'Path policies',
} as const satisfies Record<Guarantee, string>;

/** What each contender gives up. */
export function guaranteeTable({ contenders }: Results): string {
  const names = Object.keys(GUARANTEES) as Guarantee[];
  return table(
    ['', ...names.map((name) => GUARANTEES[name])],
    contenders.flatMap(({ name, guarantees }) =>
      guarantees === null ? [] : [[name, ...names.map((each) => guarantees[each])]],
    ),
  );
}

const PARTS = {
  script: 'The script, by redis-benchmark',
  lookup: 'The lookup, by pgbench',
} as const satisfies Record<LimitResult['part'], string>;

/** Where one Redis and one Postgres end. */
export function limitTable({ limits }: Results): string {
  return table(
    ['', 'Decisions a call', 'Decisions a second', 'CPU a decision, µs'],
    [...limits]
      .sort((a, b) => b.part.localeCompare(a.part) || a.shared - b.shared)
      .map(({ part, shared, decisionsPerSecond, cpuMicroseconds }) => [
        PARTS[part],
        number(shared),
        withSpread(decisionsPerSecond),
        cpuMicroseconds === null ? UNKNOWN : withSpread(cpuMicroseconds),
      ]),
  );
}

const CASES = {
  keys: 'keys of the project, 1,000 of them in use',
  policies: 'policies of the project',
  projects: 'projects, used evenly',
  activeKeys: 'active keys in the hour, used evenly',
} as const satisfies Record<FlatCase['id'], string>;

/** What grows with the data, and what does not. */
export function flatTable({ flat }: Results): string {
  return table(
    ['From, to', 'Decisions a second', 'Whole decision, µs', 'Ratio of the cost', 'p99, ms'],
    flat.cases.map(({ id, from, to, base, large }) => {
      const [before, after] = [wholeCost(base.cpuMicroseconds), wholeCost(large.cpuMicroseconds)];
      const pair = (left: number | null, right: number | null) =>
        `${left === null ? UNKNOWN : number(left)} → ${right === null ? UNKNOWN : number(right)}`;
      return [
        `${number(from)} → ${number(to)} ${CASES[id]}`,
        pair(base.perSecond.median, large.perSecond.median),
        pair(before, after),
        before === null || after === null ? UNKNOWN : number(after / before),
        pair(base.p99Ms.median, large.p99Ms.median),
      ];
    }),
  );
}

export function memoryText({ flat: { memory } }: Results): string {
  return `The Runtime used ${number(memory.startMiB)} MiB of memory at its start, ${number(memory.usedMiB)} MiB after some seconds of load on ${number(1_000)} keys, and ${number(memory.afterMiB)} MiB once ${number(memory.keys)} different keys had passed, followed by ten seconds of load on ${number(1_000)}.`;
}

const TARGETS = [100_000, 1_000_000];

/** How many processes so many decisions a second would need at the measured cost. */
export function arithmeticTable(results: Results): string {
  const rows = ['ceiba', 'ceiba-batch'].flatMap((id) => {
    const { name, cpuMicroseconds: cpu } = contenderOf(results, id);
    return TARGETS.map((target) => [
      `${name}, ${target.toLocaleString('en-GB')} a second`,
      ...PROCESSES.map((process) => {
        const micros = cpu[process]?.median;
        return micros === undefined ? UNKNOWN : coresFor(target, micros);
      }),
    ]);
  });
  return table(
    ['', 'Runtimes (a core each)', 'Redis primaries (a core each)', 'Postgres cores'],
    rows,
  );
}

/** Cores that are three quarters busy. */
const BUSY = 0.75;
const coresFor = (perSecond: number, micros: number) =>
  Math.ceil((perSecond * micros) / 1e6 / BUSY).toLocaleString('en-GB');

/** How Ceiba compares, in one sentence that README and the guide quote. */
export function summaryText(results: Results): string {
  const [echo, one, batch] = ['hono-echo', 'ceiba', 'ceiba-batch'].map((id) =>
    contenderOf(results, id),
  ) as [ContenderResult, ContenderResult, ContenderResult];
  const { cores } = results.machine;
  return `With the load and all servers on ${cores} cores, one Runtime makes ${number(one.perSecond.median)} decisions a second asked one by one (p99 ${number(one.p99Ms.median)} ms, ${connectionsOf(one)}) and ${number(batch.perSecond.median)} in batches of ${batch.perRequest}; a bare Hono echo answers ${number(echo.perSecond.median)} requests a second there.`;
}

const connectionsOf = ({ connections }: ContenderResult) => `${connections} connections`;
