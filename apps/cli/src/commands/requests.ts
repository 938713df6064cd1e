import { type LoggedDecision, PAGE_MAX } from '@ceiba/contract';
import { DENIAL_REASONS, type DenialReason } from '@ceiba/contract/sets';
import { everyItem, listDecisionGaps, listDecisions } from '@ceiba/manage';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { badInput } from '../errors.ts';
import { type Perform, performing } from '../operate.ts';
import { instant, keyOrPrefix, pageSize, textOf, uuid } from '../options.ts';
import { newDecisions, throughOutages } from '../requests/follow.ts';
import { lineOf } from '../requests/lines.ts';
import { jsonText, printLines, type World } from '../world.ts';

interface RequestOptions {
  project: string;
  follow?: true;
  outcome?: 'allowed' | 'denied';
  reason?: DenialReason;
  key?: string;
  customer?: string;
  method?: string;
  pathPrefix?: string;
  requestId?: string;
  decision?: string;
  from?: Date;
  to?: Date;
  limit: number;
  json?: true;
}

/** `ceiba requests`: the decision log of a project. */
export function requestsCommand(program: Command, world: World): void {
  program
    .command('requests')
    .description('list the recorded decisions of a project, the newest last')
    .requiredOption('--project <id>', 'the project', uuid)
    .option('--follow', 'go on with new ones until it is interrupted')
    .addOption(new Option('--outcome <outcome>', 'of this outcome').choices(['allowed', 'denied']))
    .addOption(new Option('--reason <reason>', 'denied for this reason').choices(DENIAL_REASONS))
    .option('--key <id>', 'of this key, by its id or prefix', keyOrPrefix)
    .option('--customer <id>', 'of keys of this customer, by its id or its external id')
    .option('--method <method>', 'of this method')
    .option('--path-prefix <text>', 'of paths that begin so')
    .option('--request-id <id>', 'with this x-request-id')
    .option('--decision <id>', 'this one', uuid)
    .option('--from <time>', 'from this time on (RFC 3339)', instant)
    .option('--to <time>', 'before this time (RFC 3339)', instant)
    .option('--limit <number>', 'at most so many, from the newest on', pageSize, 50)
    .option('--json', 'print each as a line of JSON')
    .action(async (options: RequestOptions) => {
      if (options.follow && options.to)
        throw badInput('--follow has no end: leave out --to.', { field: '--to' });
      await performing(world, (perform) => show(world, perform, options));
    });
}

async function show(world: World, perform: Perform, options: RequestOptions): Promise<void> {
  const { limit, follow, json } = options;
  const print = (decisions: readonly LoggedDecision[]) => {
    if (decisions.length === 0) return;
    if (json) world.stdout.write(decisions.map((each) => `${jsonText(each)}\n`).join(''));
    else printLines(world, decisions.map(lineOf));
  };
  const input = inputOf(options);
  const [newest, unknownKeyPrefix] = await readNewest(perform, input, limit);
  if (unknownKeyPrefix !== null) {
    const unknown = `${unknownKeyPrefix}…`;
    world.stderr.write(`The project has no key ${unknown}: these calls were denied for it.\n`);
  }
  print(newest.toReversed());
  await reportLeftOut(world, perform, options, newest.at(limit - 1)?.at);
  if (!follow) return;
  const read = (from = input.from) =>
    everyItem(async (cursor) => {
      const asked = { ...input, from, cursor, limit: PAGE_MAX };
      const { decisions, nextCursor } = await perform(listDecisions, asked);
      return { items: decisions, nextCursor };
    });
  const reading = throughOutages(read, (message) => world.stderr.write(`${message}\n`));
  for await (const decisions of newDecisions(newest, reading, world.closed)) print(decisions);
}

type Input = z.input<typeof listDecisions.input>;

/** The newest decisions, the newest first, and the prefix that no key of the project has. */
async function readNewest(
  perform: Perform,
  input: Input,
  limit: number,
): Promise<[LoggedDecision[], string | null]> {
  const found: LoggedDecision[] = [];
  let cursor: string | undefined;
  for (;;) {
    const asked = { ...input, cursor, limit: Math.min(limit - found.length, PAGE_MAX) };
    const { decisions, nextCursor, unknownKeyPrefix } = await perform(listDecisions, asked);
    found.push(...decisions);
    if (nextCursor === null || found.length >= limit) return [found, unknownKeyPrefix];
    cursor = nextCursor;
  }
}

/**
 * Says how many decisions of the time that is listed the log left out.
 *
 * @param cutOffAt the time of the oldest listed decision, if there may be older ones
 */
async function reportLeftOut(
  world: World,
  perform: Perform,
  { project: projectId, from, to, outcome, reason }: RequestOptions,
  cutOffAt: string | undefined,
): Promise<void> {
  const range = { from: cutOffAt ?? textOf(from), to: textOf(to) };
  const gaps = (await perform(listDecisionGaps, { projectId, ...range })).gaps.filter(
    (gap) =>
      (reason === undefined || gap.outcome === reason) &&
      (outcome === undefined || (gap.outcome === 'allowed') === (outcome === 'allowed')),
  );
  if (gaps.length === 0) return;
  const counts = gaps.map((gap) => `${gap.outcome} ${gap.leftOut}`).join(', ');
  world.stderr.write(`The log left out decisions of this time: ${counts}.\n`);
}

function inputOf(options: RequestOptions): Input {
  const { project: projectId, decision: decisionId, from, to, ...filter } = options;
  const { follow: _, limit: __, json: ___, ...conditions } = filter;
  return { projectId, decisionId, ...conditions, from: textOf(from), to: textOf(to) };
}
