import type { World } from '../../support/scenario.ts';
import { askFor, openAccount } from '../support/account.ts';
import { countOf } from '../support/caller.ts';
import { judge } from '../support/history.ts';
import { askInLoops } from '../support/load.ts';
import { type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

export interface LongListFigures {
  rounds: number;
  keysAList: number;
  othersAllowed: number;
}

/** Revoked keys do not count against a plan's cap, so any project can have this many. */
const KEYS = 20_000;
const LISTS_AT_ONCE = 4;
/** More time for the lists; decisions keep their deadlines. */
const SETTINGS = { KEY_ROUTE_DEADLINE_MS: '20000' };

/** While a caller keeps listing a project of many keys, decisions of other projects continue. */
export async function proveLongList(stage: Stage, times: number): Promise<LongListFigures> {
  const figures = { rounds: 0, keysAList: KEYS, othersAllowed: 0 };
  const { projectId, secret } = await openLargeProject(stage.world);
  const node = await startNode(stage, { settings: SETTINGS });
  const other = await openAccount(stage, 1_000_000);
  await askFor(other, node);
  const load = askInLoops(() => askFor(other, node), 2, 5);
  const list = () => node.call('GET', `/rt/projects/${projectId}/api-keys`, secret);
  try {
    for (; figures.rounds < times; figures.rounds += 1) {
      const statuses = await Promise.all(Array.from({ length: LISTS_AT_ONCE }, list));
      hold(
        'a fault does not affect others',
        statuses.every((status) => status === 200),
        () => `the lists were answered ${statuses}`,
      );
    }
  } finally {
    await load.stop();
    await node.stop();
  }
  figures.othersAllowed = countOf(other.answers, 'allowed');
  judge(other.history, `during lists of ${KEYS} keys`);
  return figures;
}

async function openLargeProject(world: World) {
  const project = await world.createProject();
  await world.db.sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, status)
    select ${project.projectId}, 'key ' || n, 'ceiba_AAAAAAAA', sha256(n::text::bytea), 'revoked'
    from generate_series(1, ${KEYS}) n`;
  // Autovacuum does this within a minute; without statistics, the plan of a page reads all keys.
  await world.db.sql`analyze api_keys`;
  return project;
}
