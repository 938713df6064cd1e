import type { TestProject, World } from '../../support/scenario.ts';
import {
  type Account,
  allowedOf,
  askFor,
  askTimes,
  judgeWithUsage,
  openAccount,
  untilFlushed,
} from '../support/account.ts';
import { type Credentials, countOf, tally } from '../support/caller.ts';
import { askAtOnce } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, PATIENT, type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

const CALLS_AT_ONCE = 48;

export interface PoisonFigures {
  rounds: number;
  othersAllowed: number;
  answered503: number;
}

/**
 * PostgreSQL raises an error for one key's row. Questions about this key are answered 503, and
 * questions that share a statement with it are allowed.
 */
export async function provePoisonedKey(
  stage: Stage,
  times: number,
  random: Random,
): Promise<PoisonFigures> {
  const figures = { rounds: 0, othersAllowed: 0, answered503: 0 };
  const restore = await readByIndexAlone(stage.world);
  const node = await startNode(stage, { settings: PATIENT });
  try {
    for (; figures.rounds < times; figures.rounds += 1) {
      const { poisoned, others } = await askBesidePoison(stage.world, node, random);
      hold(
        'a fault never allows a call',
        countOf(poisoned, 'unavailable') === poisoned.length,
        () => {
          return `the key that cannot be read: ${tally(poisoned)}`;
        },
      );
      hold(
        'a fault does not affect others',
        countOf(others, 'allowed') === others.length,
        () => `with a key that cannot be read there were ${tally(others)}`,
      );
      figures.othersAllowed += others.length;
      figures.answered503 += poisoned.length;
    }
  } finally {
    await node.stop();
    await restore();
  }
  return figures;
}

async function askBesidePoison(world: World, node: Node, random: Random) {
  const projects = await Promise.all(Array.from({ length: 8 }, () => world.createProject()));
  const callers = await Promise.all(projects.map(async (project) => callerOf(project)));
  const bad = random.int(0, callers.length - 1);
  const isBad = (index: number) => index % callers.length === bad;
  const ask = (index: number) => node.ask(callers[index % callers.length] ?? NO_KEY);
  const cure = await poisonKey(world, callers[bad] ?? NO_KEY);
  try {
    const answers = await askAtOnce(CALLS_AT_ONCE, ask);
    return {
      poisoned: answers.filter((_, index) => isBad(index)),
      others: answers.filter((_, index) => !isBad(index)),
    };
  } finally {
    await cure();
    const after = await ask(bad);
    hold('recovers in time', after.verdict === 'allowed', () => after.words);
  }
}

interface OneKey extends Credentials {
  apiKeyId: string;
}

const NO_KEY: OneKey = { projectId: '', secret: '', apiKey: null, apiKeyId: '' };

async function callerOf(project: TestProject): Promise<OneKey> {
  const { projectId, secret } = project;
  const { apiKeyId, plaintext } = await project.createKey();
  return { projectId, secret, apiKey: plaintext, apiKeyId };
}

/**
 * Makes Postgres use the index, as it does with many keys. It would read the few keys of a test
 * sequentially, including the bad one.
 */
async function readByIndexAlone({ db }: World): Promise<() => Promise<unknown>> {
  const [row] = await db.sql<{ name: string }[]>`select current_database() as name`;
  const name = row?.name ?? '';
  for (const plan of ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan']) {
    await db.sql`alter database ${db.sql(name)} set ${db.sql(`enable_${plan}`)} = off`;
  }
  return () => db.sql`alter database ${db.sql(name)} reset all`;
}

/** Replaces the table with a view that raises for one row, as a damaged page would. */
async function poisonKey({ db }: World, { apiKeyId }: OneKey): Promise<() => Promise<unknown>> {
  await db.sql.begin(async (sql) => {
    await sql.unsafe(`
      create function read_or_raise(id uuid, value text) returns text language plpgsql stable as $$
      begin
        if id = '${apiKeyId}' then raise exception 'invalid page' using errcode = 'XX001'; end if;
        return value;
      end $$`);
    const columns = await sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = 'api_keys'::regclass and attnum > 0 and not attisdropped
        and attname <> 'display_name'`;
    await sql`alter table api_keys rename to api_keys_stored`;
    await sql`
      create view api_keys as select ${sql(columns.map(({ name }) => name))},
        read_or_raise(id, display_name) as display_name
      from api_keys_stored`;
  });
  return () =>
    db.sql.begin(async (sql) => {
      await sql`drop view api_keys`;
      await sql`alter table api_keys_stored rename to api_keys`;
      await sql`drop function read_or_raise`;
    });
}

/**
 * An open transaction locks a key's row when its first use has to be written. Questions about this
 * key are answered 503; first uses of other keys at the same time are allowed.
 */
export async function proveLockedKey(stage: Stage, times: number): Promise<PoisonFigures> {
  const figures = { rounds: 0, othersAllowed: 0, answered503: 0 };
  const node = await startNode(stage, { settings: { ...PATIENT, ...SHORT_WAIT_FOR_LOCKS } });
  try {
    for (; figures.rounds < times; figures.rounds += 1) {
      const { locked, others } = await askBesideLock(stage.world, node);
      hold('a fault never allows a call', countOf(locked, 'unavailable') === locked.length, () => {
        return `while its first use could not be written: ${tally(locked)}`;
      });
      hold(
        'a fault does not affect others',
        countOf(others, 'allowed') === others.length,
        () => `with a locked key there were ${tally(others)}`,
      );
      figures.othersAllowed += others.length;
      figures.answered503 += locked.length;
    }
  } finally {
    await node.stop();
  }
  return figures;
}

const SHORT_WAIT_FOR_LOCKS = { DECISION_DATABASE_BUDGET_MS: '1500' };

async function askBesideLock(world: World, node: Node) {
  const project = await world.createProject();
  const callers = await Promise.all(Array.from({ length: 8 }, () => callerOf(project)));
  const [lockedOne = NO_KEY] = callers;
  const unlock = await lockKey(world, lockedOne);
  try {
    const answers = await askAtOnce(CALLS_AT_ONCE, (index) =>
      node.ask(callers[index % callers.length] ?? NO_KEY),
    );
    return {
      locked: answers.filter((_, index) => index % callers.length === 0),
      others: answers.filter((_, index) => index % callers.length !== 0),
    };
  } finally {
    await unlock();
    const after = await node.ask(lockedOne);
    hold('recovers in time', after.verdict === 'allowed', () => after.words);
  }
}

async function lockKey(
  { db }: World,
  { apiKeyId }: { apiKeyId: string },
): Promise<() => Promise<unknown>> {
  const session = await db.sql.reserve();
  await session`begin`;
  await session`select 1 from api_keys where id = ${apiKeyId} for update`;
  return async () => {
    await session`rollback`;
    session.release();
  };
}

/**
 * A key's row stays locked while the key is in use. Meanwhile the usage of all keys is written,
 * including its own; only its time of last use has to wait.
 */
export async function proveUsageBesideLock(
  stage: Stage,
  node: Node,
  times: number,
  random: Random,
): Promise<{ rounds: number; allowed: number }> {
  const figures = { rounds: 0, allowed: 0 };
  for (; figures.rounds < times; figures.rounds += 1) {
    const accounts = await Promise.all([1, 2, 3].map(() => openAccount(stage, 1_000)));
    for (const account of accounts) await askFor(account, node); // the first use waits for no lock
    const unlock = await lockKey(stage.world, { apiKeyId: accounts[0]?.apiKeyId ?? '' });
    try {
      for (const account of accounts) await askTimes(account, [node], random.int(1, 9));
      for (const account of accounts) await untilFlushed(stage, account);
    } finally {
      await unlock();
    }
    for (const account of accounts) await judgeWithUsage(stage, account, 'with a locked key');
    figures.allowed += accounts.map(allowedOf).reduce((total, count) => total + count, 0);
  }
  return figures;
}

export interface RefusedUsageFigures {
  rounds: number;
  slowestAcceptanceMs: number;
}

/**
 * Postgres refuses the usage of one project. Usage of other projects arrives as usual, and the refused
 * usage arrives once Postgres accepts it.
 */
export async function proveRefusedUsage(
  stage: Stage,
  node: Node,
  times: number,
  random: Random,
): Promise<RefusedUsageFigures> {
  const figures = { rounds: 0, slowestAcceptanceMs: 0 };
  for (; figures.rounds < times; figures.rounds += 1) {
    const [refused, ...others] = await Promise.all([
      openAccount(stage, 1_000),
      openAccount(stage, 1_000),
      openAccount(stage, 1_000),
    ]);
    const accounts = [refused, ...others];
    const accept = await refuseUsageOf(stage.world, refused);
    try {
      for (const account of accounts) {
        for (let i = random.int(1, 9); i > 0; i -= 1) await askFor(account, node);
      }
      for (const account of others) await untilFlushed(stage, account);
    } finally {
      await accept();
    }
    const acceptedAt = performance.now();
    // Redis has the usage: a new Runtime sweeps at start, the running ones within a minute.
    const sweeper = await startNode(stage);
    await untilFlushed(stage, refused);
    await sweeper.stop();
    const acceptanceMs = Math.round(performance.now() - acceptedAt);
    figures.slowestAcceptanceMs = Math.max(figures.slowestAcceptanceMs, acceptanceMs);
    for (const account of accounts) await judgeWithUsage(stage, account, 'with refused usage');
  }
  return figures;
}

async function refuseUsageOf({ db }: World, { who }: Account): Promise<() => Promise<unknown>> {
  await db.sql.begin(async (sql) => {
    await sql.unsafe(`
      create function refuse_usage() returns trigger language plpgsql as $$
      begin
        if new.project_id = '${who.projectId}' then raise exception 'refused'; end if;
        return new;
      end $$`);
    await sql`create trigger refuse_usage before insert or update on usage_hours
      for each row execute function refuse_usage()`;
  });
  return () => db.sql`drop function refuse_usage cascade`;
}
