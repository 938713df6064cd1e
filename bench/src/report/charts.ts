import { type Chart, chartSvg, type Theme } from './chart.ts';
import { ownCpu, PROCESSES, type Process, wholeCost } from './costs.ts';
import { number } from './format.ts';
import type { ContenderResult, Results } from './results.ts';

const SERIES = {
  server: 'Node',
  redis: 'Redis',
  postgres: 'Postgres',
} as const satisfies Record<Process, string>;

const KINDS = {
  ceiba: 'Ceiba',
  echo: 'Bare echo',
  contender: 'Others',
} as const satisfies Record<ContenderResult['kind'], string>;

const THEMES: readonly Theme[] = ['light', 'dark'];

/** The charts of the results by file name, in both themes. */
export function charts(results: Results): Record<string, string> {
  const drawn = {
    throughput: throughputChart(results),
    cost: costChart(results),
  };
  return Object.fromEntries(
    Object.entries(drawn).flatMap(([name, chart]) =>
      chart === null
        ? []
        : THEMES.map((theme) => [`performance-${name}-${theme}.svg`, chartSvg(chart, theme)]),
    ),
  );
}

/** A short run only shows that the benchmark works. */
const titleOf = (title: string, { size }: Results) =>
  size === 'full' ? title : `${title} (not a measurement)`;

function throughputChart(results: Results): Chart {
  return {
    title: titleOf('Decisions a second, and p99', results),
    series: Object.values(KINDS),
    bars: results.contenders.map(({ name, kind, perSecond, p99Ms }) => ({
      label: plain(name),
      value: `${number(perSecond.median)}, ${number(p99Ms.median)} ms`,
      parts: [{ series: KINDS[kind], amount: perSecond.median }],
    })),
  };
}

/** Null where the system does not report CPU times. */
function costChart(results: Results): Chart | null {
  const bars = results.contenders.flatMap(({ name, kind, cpuMicroseconds }) => {
    const cpu = ownCpu(kind, cpuMicroseconds);
    const whole = wholeCost(cpu);
    if (whole === null) return [];
    const parts = PROCESSES.map((process) => ({
      series: SERIES[process],
      amount: Math.max(0, cpu[process]?.median ?? 0),
    }));
    return [{ label: plain(name), value: `${number(whole)} µs`, parts }];
  });
  const series = PROCESSES.map((process) => SERIES[process]);
  return bars.length === 0
    ? null
    : { title: titleOf('CPU time of one decision, µs', results), series, bars };
}

const plain = (markdown: string) => markdown.replaceAll('`', '');
