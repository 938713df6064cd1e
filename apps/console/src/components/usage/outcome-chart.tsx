import type { UsageSeries } from '@ceiba/schema';
import { Check, Gauge, X } from 'lucide-react';
import { cn } from '../../lib/cn.ts';
import { formatCompact, formatCount, formatShares, plural } from '../../lib/format.ts';
import { Chip } from '../ui/chip.tsx';
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx';
import {
  byTone,
  type OutcomeTone,
  TONE_FILLS,
  TONE_NAMES,
  TONE_WORDS,
  TONES,
  type ToneCounts,
} from './by-tone.ts';
import { axisMax, stepName } from './steps.ts';

/** The size of the drawing, which is stretched to the available width. */
const WIDTH = 1_000;
const HEIGHT = 176;
/** The largest width of a bar. */
const WIDEST = 60;
/** The most areas with a tooltip; more would be narrower than a pointer. */
const MOST_SLOTS = 100;
/** The most names that fit below the bars. */
const MOST_NAMED = 8;
/** A longer table is only in the CSV file. */
const LONGEST_TABLE = 120;
const ICONS = { allow: Check, limit: Gauge, deny: X } as const;

export interface OutcomeChartProps {
  series: UsageSeries;
  /** Without the table of numbers. */
  brief?: boolean;
}

/** Decisions by outcome over time: stacked bars, rendered on the server, and a table of the numbers. */
export function OutcomeChart({ series, brief = false }: OutcomeChartProps) {
  const tones = byTone(series);
  const shares = formatShares(TONES.map((tone) => tones.totals[tone]));
  return (
    <figure className="numbers">
      <figcaption className="mb-6 flex flex-wrap gap-x-8 gap-y-4">
        {TONES.map((tone, index) => (
          <div key={tone}>
            <Chip tone={tone} icon={ICONS[tone]}>
              {TONE_NAMES[tone]}
            </Chip>
            <p className="mt-1 flex items-baseline gap-2">
              <span className="text-title font-semibold">{formatCount(tones.totals[tone])}</span>
              <span className="text-small text-muted">{shares[index]}</span>
            </p>
          </div>
        ))}
      </figcaption>
      <Bars series={series} tones={tones} />
      {!brief && series.starts.length <= LONGEST_TABLE && <Numbers series={series} tones={tones} />}
      {series.starts.length > LONGEST_TABLE && (
        <p className="mt-4 text-small text-muted">
          The CSV file has the numbers of each {series.step}.
        </p>
      )}
    </figure>
  );
}

interface PartProps {
  series: UsageSeries;
  tones: ToneCounts;
}

function Bars({ series: { starts, step }, tones: { counts } }: PartProps) {
  const highest = Math.max(0, ...counts.map(({ allow, limit, deny }) => allow + limit + deny));
  const max = axisMax(highest);
  const paths = barPaths(counts, max);
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-small text-muted">
      <div aria-hidden="true" className="-my-2.5 flex flex-col justify-between text-right">
        <span>{formatCompact(max)}</span>
        <span>{formatCompact(max / 2)}</span>
        <span>0</span>
      </div>
      <svg
        role="img"
        aria-label={`Decisions in ${plural(starts.length, step)}, at most ${formatCount(highest)} in one`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-44 w-full overflow-visible"
      >
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <path
            key={y}
            d={`M0 ${y}H${WIDTH}`}
            vectorEffect="non-scaling-stroke"
            className="stroke-line"
          />
        ))}
        {TONES.map((tone) => (
          <path key={tone} d={paths[tone]} className={TONE_FILLS[tone]} />
        ))}
        <g className="fill-transparent [&>path]:hover:fill-ink/5">
          {slotsOf(starts.length).map(({ first, length }) => (
            <path key={first} d={slotPath(first, length, starts.length)}>
              <title>
                {starts
                  .slice(first, first + length)
                  .map((start, index) => tooltipOf(stepName(start, step), counts[first + index]))
                  .join('\n')}
              </title>
            </path>
          ))}
        </g>
      </svg>
      <TimeAxis starts={starts} step={step} />
    </div>
  );
}

/** Names every bar if there are few, else the first, the middle and the last one. */
function TimeAxis({ starts, step }: Pick<UsageSeries, 'starts' | 'step'>) {
  const each = starts.length <= MOST_NAMED;
  const few = [0, Math.floor(starts.length / 2), starts.length - 1];
  const shown = each ? starts : few.flatMap((index) => starts[index] ?? []);
  const isInner = (index: number) => index > 0 && index < shown.length - 1;
  return (
    <p
      className={cn(
        'col-start-2 mt-2 flex justify-between gap-2 whitespace-nowrap',
        each && 'lg:text-center lg:*:flex-1',
      )}
    >
      {shown.map((start, index) => (
        <span
          key={start.getTime()}
          className={cn(isInner(index) && (each ? 'max-lg:hidden' : 'max-sm:hidden'))}
        >
          {stepName(start, step)}
        </span>
      ))}
    </p>
  );
}

/** One path per tone, because a year has hundreds of bars. A count above 0 is at least 1.5 high. */
function barPaths(counts: ToneCounts['counts'], max: number): Record<OutcomeTone, string> {
  const slot = WIDTH / counts.length;
  const width = Math.min(slot * (counts.length > 100 ? 0.9 : 0.75), WIDEST);
  const paths = { allow: '', limit: '', deny: '' };
  for (const [index, step] of counts.entries()) {
    const left = rounded(slot * (index + 0.5) - width / 2);
    let top = HEIGHT;
    for (const tone of TONES) {
      if (step[tone] === 0) continue;
      const height = Math.min(top, Math.max(1.5, (step[tone] / max) * HEIGHT));
      paths[tone] +=
        `M${left} ${rounded(top)}v${rounded(-height)}h${rounded(width)}V${rounded(top)}z`;
      top -= height;
    }
  }
  return paths;
}

/** The areas with a tooltip: one step, or several if one is too narrow to point at. */
function slotsOf(steps: number): { first: number; length: number }[] {
  const length = Math.ceil(steps / MOST_SLOTS);
  return Array.from({ length: Math.ceil(steps / length) }, (_, index) => ({
    first: index * length,
    length,
  }));
}

/** Full height, so that a step without decisions has a tooltip too. */
function slotPath(first: number, length: number, steps: number): string {
  const width = WIDTH / steps;
  const [left, right] = [rounded(width * first), rounded(width * Math.min(first + length, steps))];
  return `M${left} 0H${right}V${HEIGHT}H${left}z`;
}

const rounded = (length: number) => Math.round(length * 100) / 100;

const tooltipOf = (name: string, counts: ToneCounts['counts'][number] | undefined) =>
  `${name} UTC: ${TONES.map((tone) => `${formatCount(counts?.[tone] ?? 0)} ${TONE_WORDS[tone]}`).join(', ')}`;

/** The same as a table, the newest first, for screen readers and for copying. */
function Numbers({ series: { starts, step }, tones: { counts } }: PartProps) {
  const rows = starts.map((start, index) => ({ start, counts: counts[index] })).reverse();
  return (
    <details className="mt-4">
      <summary className="w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink">
        Show the numbers
      </summary>
      <div className="mt-2 max-h-96 overflow-y-auto">
        <Table
          label="Decisions by outcome, as numbers"
          head={
            <>
              <HeadCell>In UTC</HeadCell>
              {TONES.map((tone) => (
                <HeadCell key={tone} numeric>
                  {TONE_NAMES[tone]}
                </HeadCell>
              ))}
            </>
          }
        >
          {rows.map((row) => (
            <Row key={row.start.getTime()}>
              <Cell className="h-10 whitespace-nowrap">{stepName(row.start, step)}</Cell>
              {TONES.map((tone) => (
                <Cell key={tone} numeric className="h-10">
                  {formatCount(row.counts?.[tone] ?? 0)}
                </Cell>
              ))}
            </Row>
          ))}
        </Table>
      </div>
    </details>
  );
}
