import { OUTCOMES } from '@ceiba/contract/sets';
import {
  stepsOf,
  USAGE_RANGE_DAYS_MAX,
  type UsageCut,
  type UsageRange,
  type UsageStep,
  wholeSteps,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { toMs } from '../time.ts';
import {
  allowedRequests,
  days,
  decisionsByDay,
  decisionsByHour,
  decisionsOfKey,
  type Grouping,
  largestKeysOfDays,
  stepOf,
  type UsageOfProject,
} from './decisions.ts';

export interface UsageSeriesInput extends UsageOfProject {
  step: UsageStep;
  by: UsageCut;
  /** Counts the decisions of this key alone; only by outcome. */
  apiKeyId?: string;
  /** How many keys or policies get a line of their own: those with the most allowed requests. Default: 8. */
  top?: number;
}

export interface UsageLine {
  /** An outcome, or the id of a key or policy. */
  id: string;
  /** A key's name, or a policy's method and pattern; null for an outcome, or when it was deleted. */
  label: string | null;
  total: number;
  /** One count per start. */
  counts: number[];
}

/**
 * Counts over time. By outcome they count all decisions; by key and by policy only allowed requests,
 * which use up a quota.
 */
export interface UsageSeries extends UsageRange {
  step: UsageStep;
  by: UsageCut;
  /** The start of each step, in UTC; `from` and `to` are the range, widened to whole steps. */
  starts: Date[];
  /**
   * By outcome in the order of the contract, else largest first, without lines of zeros. Over days
   * or months, only keys that were among the fifty largest of some day have a line.
   */
  lines: UsageLine[];
  /** The remainder: what has no line. Zero by outcome. */
  rest: { total: number; counts: number[] };
  total: number;
}

/**
 * Reads usage per hour, day or month in UTC; a step without decisions counts 0.
 *
 * @throws RangeError when the range is empty, or longer than `USAGE_RANGE_DAYS_MAX` permits for this
 *   step; `finestUsageStep` returns a step that fits
 */
export async function readUsageSeries(
  db: { orm: Executor },
  { projectId, by, step, apiKeyId, top = 8, ...input }: UsageSeriesInput,
): Promise<UsageSeries> {
  const range = wholeSteps(input, step, USAGE_RANGE_DAYS_MAX[by][step]);
  const starts = stepsOf(range, step);
  const reader: Reader = { db, usage: { ...range, projectId }, step, starts };
  const { lines, whole } =
    by === 'outcome' ? await linesByOutcome(reader, apiKeyId) : await largestLines(reader, by, top);
  return { ...range, step, by, starts, lines, ...restOf(lines, whole) };
}

interface Reader {
  db: { orm: Executor };
  usage: UsageOfProject;
  step: UsageStep;
  starts: readonly Date[];
}

async function linesByOutcome(reader: Reader, apiKeyId: string | undefined) {
  const counts = await countsOf(
    reader,
    apiKeyId === undefined ? allDecisions(reader) : decisionsOf(reader, apiKeyId),
  );
  const lines = OUTCOMES.flatMap((id) => lineOf({ id, label: null }, counts.get(id)));
  return { lines, whole: sumOf([...counts.values()], reader.starts.length) };
}

async function largestLines(reader: Reader, by: Grouping, top: number) {
  const source = sourceOf(reader, by);
  const most = source.isEstimate ? top * CANDIDATES_PER_LINE : top;
  const candidates = await readLargest(reader.db, source.largest, by, most);
  const counts = await countsOf(reader, source.of(candidates.map(({ id }) => id)));
  const whole = await countsOf(reader, source.whole);
  return {
    lines: candidates
      .flatMap((candidate) => lineOf(candidate, counts.get(candidate.id)))
      .sort((a, b) => b.total - a.total)
      .slice(0, top),
    whole: sumOf([...whole.values()], reader.starts.length),
  };
}

/** If the order of the largest is an estimate, this many candidates per line are counted. */
const CANDIDATES_PER_LINE = 4;

/** Statements that begin with `with … counted as (at, id, count)`. */
interface Source {
  /** To order by size; without `at`. */
  largest: SQL;
  /** Whether `largest` lacks the small keys of each day. */
  isEstimate: boolean;
  of(ids: readonly string[]): SQL;
  /** All allowed requests. */
  whole: SQL;
}

const withDays = (usage: UsageOfProject, rows: SQL) =>
  sql`with ${days(usage)}, counted as (${rows})`;

const allDecisions = ({ usage, step }: Reader) =>
  withDays(usage, step === 'hour' ? decisionsByHour(usage) : decisionsByDay(usage));

const decisionsOf = ({ usage, step }: Reader, apiKeyId: string) =>
  sql`with counted as (${decisionsOfKey(usage, { apiKeyId, step })})`;

/** Days are read by policy, which has far fewer rows than hours by outcome. */
const allAllowed = ({ usage, step }: Reader) =>
  withDays(
    usage,
    step === 'hour'
      ? decisionsByHour(usage, 'allowed')
      : sql`
        select at, null as id, count from (${allowedRequests(usage, { by: 'policy', step })}) allowed`,
  );

function sourceOf(reader: Reader, by: Grouping): Source {
  const { usage, step } = reader;
  const source: Source = {
    largest: withDays(usage, allowedRequests(usage, { by, step })),
    isEstimate: false,
    of: (ids) => withDays(usage, allowedRequests(usage, { by, step, ids })),
    whole: allAllowed(reader),
  };
  if (by === 'policy' || step === 'hour') return source;
  return { ...source, largest: withDays(usage, largestKeysOfDays(usage)), isEstimate: true };
}

const LABEL = {
  api_key: sql`select k.display_name from api_keys k where k.id = largest.id::uuid`,
  policy: sql`select p.method || ' ' || p.path_pattern from policies p where p.id = largest.id::uuid`,
} as const satisfies Record<Grouping, SQL>;

async function readLargest(db: { orm: Executor }, source: SQL, by: Grouping, most: number) {
  const rows = await db.orm.execute<{ id: string; label: string | null }>(sql`
    ${source}, largest as (
      select id, sum(count) as total from counted group by id
      having sum(count) > 0 order by total desc, id limit ${most}
    )
    select largest.id, (${LABEL[by]}) as label from largest order by total desc, id`);
  return [...rows];
}

type Counts = Map<string, number[]>;

/** One count per id and start, 0 without a row. */
async function countsOf({ db, step, starts }: Reader, source: SQL): Promise<Counts> {
  // Rows of hours and days already start with their step; truncating thousands of them costs time.
  const start = step === 'month' ? stepOf(sql`at`, step) : sql`at`;
  const rows = await db.orm.execute<{ id: string; startMs: number; count: number }>(sql`
    ${source}
    select id, ${toMs(sql`start`)} as "startMs", total::float8 as count from (
      select id, ${start} as start, sum(count) as total from counted group by 1, 2
    ) steps`);
  const position = new Map(starts.map((start, index) => [start.getTime(), index]));
  const counts: Counts = new Map();
  for (const { id, startMs, count } of rows) {
    const line = counts.get(id) ?? starts.map(() => 0);
    const index = position.get(startMs);
    if (index !== undefined) line[index] = count;
    counts.set(id, line);
  }
  return counts;
}

const totalOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const sumOf = (lines: readonly number[][], length: number) =>
  Array.from({ length }, (_, index) => totalOf(lines.map((line) => line[index] ?? 0)));

function lineOf(about: { id: string; label: string | null }, counts: number[] | undefined) {
  const total = totalOf(counts ?? []);
  return counts === undefined || total === 0 ? [] : [{ ...about, total, counts }];
}

/** The whole is read after the lines, so it is not smaller, unless retention removed a day between. */
function restOf(lines: readonly UsageLine[], whole: readonly number[]) {
  const shown = sumOf(
    lines.map(({ counts }) => counts),
    whole.length,
  );
  const counts = whole.map((count, index) => Math.max(0, count - (shown[index] ?? 0)));
  return { rest: { total: totalOf(counts), counts }, total: totalOf(whole) };
}
