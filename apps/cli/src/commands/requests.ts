import { DENIAL_REASONS, type DenialReason, UUID } from '@ceiba/contract/sets';
import {
  type Database,
  type DecisionFilter,
  type DecisionRecord,
  exportDecisions,
  listDecisions,
  readDecisionGaps,
  searchApiKeys,
} from '@ceiba/schema';
import { type Command, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { badInput } from '../errors.ts';
import { customerIdOf, requireProject } from '../not-found.ts';
import { instant, keyOrPrefix, pageSize, uuid } from '../options.ts';
import { newDecisions, throughOutages } from '../requests/follow.ts';
import { jsonLineOf, lineOf } from '../requests/lines.ts';
import { printLines, type World } from '../world.ts';

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
      await withDatabase(world, (_, db) => show(world, db, options));
    });
}

async function show(world: World, db: Database, options: RequestOptions): Promise<void> {
  const { project: projectId, limit, follow, json } = options;
  await requireProject(db, projectId);
  const filter = await filterOf(db, options);
  const print = (records: readonly DecisionRecord[]) => {
    if (records.length === 0) return;
    if (json) world.stdout.write(records.map((record) => `${jsonLineOf(record)}\n`).join(''));
    else printLines(world, records.map(lineOf));
  };
  const { items: newest } = await listDecisions(db, { projectId, filter, limit });
  if (filter.unknownKeyPrefix !== undefined) {
    const unknown = `${filter.unknownKeyPrefix}…`;
    world.stderr.write(`The project has no key ${unknown}: these calls were denied for it.\n`);
  }
  print(newest.toReversed());
  await reportLeftOut(world, db, options, newest.at(limit - 1)?.at);
  if (!follow) return;
  const read = async (from = filter.from) => {
    const found: DecisionRecord[] = [];
    const pages = exportDecisions((work) => work(db), { projectId, filter: { ...filter, from } });
    for await (const page of pages) found.push(...page);
    return found;
  };
  const reading = throughOutages(read, (message) => world.stderr.write(`${message}\n`));
  for await (const records of newDecisions(newest, reading, world.closed)) print(records);
}

/**
 * Says how many decisions of the time that is listed the log left out.
 *
 * @param cutOffAt the time of the oldest listed decision, if there may be older ones
 */
async function reportLeftOut(
  world: World,
  db: Database,
  { project: projectId, from = new Date(0), to = new Date(), outcome, reason }: RequestOptions,
  cutOffAt: Date | undefined,
): Promise<void> {
  const gaps = (await readDecisionGaps(db, { projectId, from: cutOffAt ?? from, to })).filter(
    (gap) =>
      (reason === undefined || gap.outcome === reason) &&
      (outcome === undefined || (gap.outcome === 'allowed') === (outcome === 'allowed')),
  );
  if (gaps.length === 0) return;
  const counts = gaps.map((gap) => `${gap.outcome} ${gap.leftOut}`).join(', ');
  world.stderr.write(`The log left out decisions of this time: ${counts}.\n`);
}

async function filterOf(db: Database, options: RequestOptions): Promise<DecisionFilter> {
  const { project: projectId, key, customer, decision, follow, limit, json, ...filter } = options;
  return {
    ...filter,
    ...(decision !== undefined && { decisionId: decision }),
    ...(customer !== undefined && (await customerIdOf(db, projectId, customer))),
    ...(key !== undefined && (await keyOf(db, projectId, key))),
  };
}

/** The key of the project, or the calls that were denied because it has none with this prefix. */
async function keyOf(
  db: Database,
  projectId: string,
  idOrPrefix: string,
): Promise<Pick<DecisionFilter, 'apiKeyId' | 'unknownKeyPrefix'>> {
  if (UUID.test(idOrPrefix)) return { apiKeyId: idOrPrefix };
  const { items } = await searchApiKeys(db, { projectId, text: idOrPrefix, limit: 10 });
  const key = items.find(({ keyPrefix }) => keyPrefix === idOrPrefix);
  return key === undefined ? { unknownKeyPrefix: idOrPrefix } : { apiKeyId: key.apiKeyId };
}
