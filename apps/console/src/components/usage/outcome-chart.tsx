import { nextStep } from '@ceiba/domain';
import type { UsageSeries } from '@ceiba/schema';
import { clsx } from 'clsx';
import { formatCompact, formatCount, formatShares, plural, sum } from '../../lib/format.ts';
import { Count } from '../ui/count.tsx';
import { Table } from '../ui/table.tsx';
import {
  byTone,
  type OutcomeTone,
  TONE_FILLS,
  TONE_NAMES,
  TONE_SWATCHES,
  TONE_WORDS,
  TONES,
  type ToneCounts,
} from './by-tone.ts';
import { ChartPointer } from './chart-pointer.tsx';
import { axisMax, shareMax, stepName, zoneOf } from './steps.ts';

/** The size of the drawing, which is stretched to the available width. */
const WIDTH = 1_000;
const HEIGHT = 176;
const SHARE_HEIGHT = 32;
/** The largest width of a bar. */
const WIDEST = 60;
/** The most links over the bars; more would be narrower than a pointer. */
const SLOTS_MAX = 100;
/** The most names that fit below the bars. */
const NAMED_MAX = 8;
/** A longer table is left out where a CSV file has it. */
const TABLE_ROWS_MAX = 120;

/** What of a series is drawn. */
export type ChartSeries = Pick<UsageSeries, 'lines' | 'starts' | 'step'>;

export interface OutcomeChartProps {
  series: ChartSeries;
  /** The totals of the period of the same length before. */
  previous?: ToneCounts['totals'];
  /** Where a click on the bars of a time leads; null if nowhere. */
  hrefOf: (from: Date, to: Date) => string | null;
  /** In which hours are named. Days and months are in UTC. */
  timeZone: string;
  /** Without the table of numbers. */
  brief?: boolean;
  /** Whether the page has a CSV file of the same range. */
  hasCsv?: boolean;
}

/**
 * Decisions by outcome over time: stacked bars and below them, with its own axis, the share that was
 * denied; rendered on the server, with a table of the numbers.
 */
export function OutcomeChart({
  series,
  previous,
  hrefOf,
  timeZone,
  brief = false,
  hasCsv = false,
}: OutcomeChartProps) {
  const tones = byTone(series);
  const isInCsv = hasCsv && series.starts.length > TABLE_ROWS_MAX;
  const shares = formatShares(TONES.map((tone) => tones.totals[tone]));
  return (
    <figure>
      <figcaption className="mb-3 grid grid-cols-3 gap-4 sm:flex sm:flex-wrap sm:gap-x-8">
        {TONES.map((tone, index) => (
          <div key={tone}>
            <p className="flex items-center gap-1.5 text-small text-muted">
              <span
                aria-hidden="true"
                className={`size-2.5 rounded-[2px] ${TONE_SWATCHES[tone]}`}
              />
              {TONE_NAMES[tone]}
            </p>
            <p className="flex items-baseline gap-x-2 max-sm:flex-col">
              <span className="text-title font-semibold">
                <Count>{tones.totals[tone]}</Count>
              </span>
              <span className="text-small text-muted">{shares[index]}</span>
            </p>
            {previous && (
              <p className="text-small text-muted">
                <Count>{previous[tone]}</Count> before
              </p>
            )}
          </div>
        ))}
      </figcaption>
      <Bars series={series} tones={tones} hrefOf={hrefOf} timeZone={timeZone} />
      {!brief && !isInCsv && <Numbers series={series} tones={tones} timeZone={timeZone} />}
      {isInCsv && (
        <p className="mt-4 text-small text-muted">
          The CSV file has the numbers of each {series.step}.
        </p>
      )}
    </figure>
  );
}

interface PartProps {
  series: ChartSeries;
  tones: ToneCounts;
  timeZone: string;
}

function Bars({
  series: { starts, step },
  tones: { counts },
  timeZone,
  hrefOf,
}: PartProps & Pick<OutcomeChartProps, 'hrefOf'>) {
  const highest = Math.max(0, ...counts.map(({ allow, limit, deny }) => allow + limit + deny));
  const max = axisMax(highest);
  const paths = barPaths(counts, max);
  const shares = counts.map(deniedShare);
  const mostDenied = Math.max(0, ...shares.map((share) => share ?? 0));
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-small text-muted">
      <Axis className="text-right" names={[formatCompact(max), formatCompact(max / 2), '0']} />
      <div className="relative">
        <svg
          role="img"
          aria-label={`Decisions in ${plural(starts.length, step)}, at most ${formatCount(highest)} in one`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block h-44 w-full"
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
        </svg>
        <ChartPointer label="Decisions by time. The arrow keys move between the bars.">
          {slotsOf(starts.length).map(({ first, length }, index, slots) => {
            const from = starts[first];
            const last = starts[first + length - 1] ?? starts.at(-1);
            if (from === undefined || last === undefined) return null;
            const name =
              from === last
                ? stepName(from, step, timeZone)
                : `${stepName(from, step, timeZone)} to ${stepName(last, step, timeZone)}`;
            const href = hrefOf(from, nextStep(last, step));
            return (
              // biome-ignore lint/a11y/useAnchorContent: its label is its content
              <a
                key={from.getTime()}
                role={href === null ? 'img' : undefined}
                href={href ?? undefined}
                tabIndex={index === slots.length - 1 ? 0 : -1}
                aria-label={tooltipOf(name, sumOf(counts.slice(first, first + length)))}
                style={{ flexGrow: Math.min(length, starts.length - first) }}
                className="basis-0 hover:bg-ink/5 focus-visible:bg-ink/5 focus-visible:-outline-offset-2"
              />
            );
          })}
        </ChartPointer>
      </div>
      {mostDenied > 0 && <DeniedShare shares={shares} max={shareMax(mostDenied)} />}
      <TimeAxis starts={starts} step={step} timeZone={timeZone} />
    </div>
  );
}

/** The denied share of each step that has any calls, as a line with an axis of its own. */
function DeniedShare({ shares, max }: { shares: readonly (number | null)[]; max: number }) {
  return (
    <>
      <p className="col-start-2 mt-3 mb-1">Share denied or limited</p>
      <Axis className="text-right" names={[`${max * 100}%`, '0%']} />
      <svg
        role="img"
        aria-label={`Share denied or limited, on an axis to ${max * 100}%`}
        viewBox={`0 0 ${WIDTH} ${SHARE_HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-8 w-full overflow-visible"
      >
        {[0, SHARE_HEIGHT].map((y) => (
          <path
            key={y}
            d={`M0 ${y}H${WIDTH}`}
            vectorEffect="non-scaling-stroke"
            className="stroke-line"
          />
        ))}
        <path
          d={shareLine(shares, max)}
          vectorEffect="non-scaling-stroke"
          strokeWidth="1.5"
          className="fill-none stroke-deny"
        />
      </svg>
    </>
  );
}

/** The values at the lines of the drawing, from the top. */
function Axis({ names, className }: { names: readonly string[]; className?: string }) {
  return (
    <div
      aria-hidden="true"
      className={clsx('figures -my-2.25 flex flex-col justify-between', className)}
    >
      {names.map((name) => (
        <span key={name}>{name}</span>
      ))}
    </div>
  );
}

/** Names every bar if there are few, else the first, the middle and the last one. */
function TimeAxis({
  starts,
  step,
  timeZone,
}: Pick<UsageSeries, 'starts' | 'step'> & { timeZone: string }) {
  const each = starts.length <= NAMED_MAX;
  const few = [0, Math.floor(starts.length / 2), starts.length - 1];
  const shown = each ? starts : few.flatMap((index) => starts[index] ?? []);
  const isInner = (index: number) => index > 0 && index < shown.length - 1;
  return (
    <p
      className={clsx(
        'col-start-2 mt-2 flex justify-between gap-2 whitespace-nowrap',
        each && 'lg:text-center lg:*:flex-1',
      )}
    >
      {shown.map((start, index) => (
        <span
          key={start.getTime()}
          className={clsx(isInner(index) && (each ? 'max-lg:hidden' : 'max-sm:hidden'))}
        >
          {stepName(start, step, timeZone)}
          {index === shown.length - 1 && ` ${zoneOf(step, timeZone)}`}
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

/** The links over the bars: one step, or several if one is too narrow to point at. */
function slotsOf(steps: number): { first: number; length: number }[] {
  const length = Math.ceil(steps / SLOTS_MAX);
  return Array.from({ length: Math.ceil(steps / length) }, (_, index) => ({
    first: index * length,
    length,
  }));
}

/** The part of the calls that was denied or limited; null without calls. */
function deniedShare({ allow, limit, deny }: ToneCounts['totals']): number | null {
  const total = allow + limit + deny;
  return total === 0 ? null : (limit + deny) / total;
}

/** From 0 at the bottom to `max` at the top. A single point is a short line. */
function shareLine(shares: readonly (number | null)[], max: number): string {
  const width = WIDTH / shares.length;
  const points = shares.flatMap((share, index) =>
    share === null
      ? []
      : [`${rounded(width * (index + 0.5))} ${rounded(SHARE_HEIGHT * (1 - share / max))}`],
  );
  return points.length === 1 ? `M${points[0]}h4` : `M${points.join('L')}`;
}

const rounded = (length: number) => Math.round(length * 100) / 100;

const tooltipOf = (name: string, counts: ToneCounts['totals']) =>
  `${name}: ${TONES.map((tone) => `${formatCount(counts[tone])} ${TONE_WORDS[tone]}`).join(', ')}`;

const sumOf = (counts: ToneCounts['counts']): ToneCounts['totals'] => ({
  allow: sum(counts.map(({ allow }) => allow)),
  limit: sum(counts.map(({ limit }) => limit)),
  deny: sum(counts.map(({ deny }) => deny)),
});

/** The same as a table, the newest first, for screen readers and for copying. */
function Numbers({ series: { starts, step }, tones: { counts }, timeZone }: PartProps) {
  const rows = starts.map((start, index) => ({ start, counts: counts[index] })).reverse();
  return (
    <details className="mt-3">
      <summary className="w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink">
        Show the numbers
      </summary>
      <div className="-mx-3 mt-2 max-h-96 overflow-y-auto px-3">
        <Table
          label="Decisions by outcome, as numbers"
          items={rows}
          keyOf={({ start }) => start.getTime()}
          rowProps={() => ({ className: '*:h-8' })}
          columns={[
            {
              name: `In ${zoneOf(step, timeZone)}`,
              className: 'whitespace-nowrap',
              cell: ({ start }) => stepName(start, step, timeZone),
            },
            ...TONES.map((tone) => ({
              name: TONE_NAMES[tone],
              numeric: true,
              cell: (row: (typeof rows)[number]) => formatCount(row.counts?.[tone] ?? 0),
            })),
          ]}
        />
      </div>
    </details>
  );
}
