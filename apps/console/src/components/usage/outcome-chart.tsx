import type { UsageSeries } from '@ceiba/schema';
import { Check, Gauge, X } from 'lucide-react';
import { formatCompact, formatCount, formatShare, plural } from '../../lib/format.ts';
import { Chip } from '../ui/chip.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../ui/table.tsx';
import { byTone, TONE_FILLS, TONE_NAMES, TONE_WORDS, TONES, type ToneCounts } from './by-tone.ts';
import { axisMax, stepName } from './steps.ts';

const HEIGHT = 176;
/** A bar never gets so wide that a single one looks like a wall. */
const WIDEST_PERCENT = 6;
const ICONS = { allow: Check, limit: Gauge, deny: X } as const;

export interface OutcomeChartProps {
  series: UsageSeries;
  /** Leaves the table of the numbers away, where another page has it. */
  brief?: boolean;
}

/** Decisions by outcome over time: bars from zero, drawn by the server, the numbers below. */
export function OutcomeChart({ series, brief = false }: OutcomeChartProps) {
  const tones = byTone(series);
  return (
    <figure className="numbers">
      <figcaption className="mb-6 flex flex-wrap gap-x-8 gap-y-4">
        {TONES.map((tone) => (
          <div key={tone}>
            <Chip tone={tone} icon={ICONS[tone]}>
              {TONE_NAMES[tone]}
            </Chip>
            <p className="mt-1 flex items-baseline gap-2">
              <span className="text-title font-semibold">{formatCount(tones.totals[tone])}</span>
              <span className="text-small text-muted">
                {formatShare(tones.totals[tone], series.total)}
              </span>
            </p>
          </div>
        ))}
      </figcaption>
      <Bars series={series} tones={tones} />
      {!brief && <Numbers series={series} tones={tones} />}
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
  const [first, middle, last] = [starts[0], starts[Math.floor(starts.length / 2)], starts.at(-1)];
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
        className="block w-full overflow-visible"
        height={HEIGHT}
      >
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line key={y} x1="0" x2="100%" y1={y} y2={y} className="stroke-line" />
        ))}
        {starts.map((start, index) => (
          <Bar
            key={start.getTime()}
            name={stepName(start, step)}
            counts={counts[index]}
            index={index}
            of={starts.length}
            max={max}
          />
        ))}
      </svg>
      <p className="col-start-2 mt-2 flex justify-between gap-4">
        {first && <span>{stepName(first, step)}</span>}
        {middle && starts.length > 2 && (
          <span className="hidden sm:inline">{stepName(middle, step)}</span>
        )}
        {last && starts.length > 1 && <span>{stepName(last, step)}</span>}
      </p>
    </div>
  );
}

interface BarProps {
  name: string;
  counts: ToneCounts['counts'][number] | undefined;
  index: number;
  of: number;
  max: number;
}

function Bar({ name, counts, index, of, max }: BarProps) {
  if (counts === undefined) return null;
  const slot = 100 / of;
  const width = Math.min(slot * (of > 100 ? 0.9 : 0.75), WIDEST_PERCENT);
  const x = `${slot * (index + 0.5) - width / 2}%`;
  let top = HEIGHT;
  return (
    <g className="group">
      <title>{`${name} UTC: ${TONES.map((tone) => `${formatCount(counts[tone])} ${TONE_WORDS[tone]}`).join(', ')}`}</title>
      <rect
        x={`${slot * index}%`}
        y="0"
        width={`${slot}%`}
        height={HEIGHT}
        className="fill-transparent group-hover:fill-ink/5"
      />
      {TONES.map((tone) => {
        if (counts[tone] === 0) return null;
        // What happened at all can be seen.
        const height = Math.min(top, Math.max(1.5, (counts[tone] / max) * HEIGHT));
        top -= height;
        return (
          <rect
            key={tone}
            x={x}
            y={top}
            width={`${width}%`}
            height={height}
            className={TONE_FILLS[tone]}
          />
        );
      })}
    </g>
  );
}

/** The same as text, for those who cannot see the bars or want to copy them; the newest first. */
function Numbers({ series: { starts, step }, tones: { counts } }: PartProps) {
  const rows = starts.map((start, index) => ({ start, counts: counts[index] })).reverse();
  return (
    <details className="mt-4">
      <summary className="w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink">
        Show the numbers
      </summary>
      <div className="mt-2 max-h-96 overflow-y-auto">
        <Table label="Decisions by outcome, as numbers">
          <TableHead>
            <Row>
              <HeadCell>In UTC</HeadCell>
              {TONES.map((tone) => (
                <HeadCell key={tone} numeric>
                  {TONE_NAMES[tone]}
                </HeadCell>
              ))}
            </Row>
          </TableHead>
          <TableBody>
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
          </TableBody>
        </Table>
      </div>
    </details>
  );
}
