import { askFor, openAccount } from '../support/account.ts';
import { countOf, tally } from '../support/caller.ts';
import { askInLoops } from '../support/load.ts';
import { PATIENT, type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

export interface LongPolicyListFigures {
  policies: number;
  rounds: number;
  othersAllowed: number;
  /** The longest pause of the others, in percent of the time that the list took. */
  longestPausePercent: number;
}

const POLICIES = 60_000;
/** Read at once, the list blocks the others for a quarter to a half of the time that it takes; in pages, for a twentieth. */
const LOAD_SHARE_MAX = 0.15;

/**
 * A project has more policies than the verbs allow, and they change before each of its questions.
 * While the list is read, the questions of another project are answered again and again: their longest
 * pause is a small part of that time. A machine under load pauses them too, so the median counts.
 */
export async function proveLongPolicyList(
  stage: Stage,
  rounds: number,
): Promise<LongPolicyListFigures> {
  const long = await openAccount(stage, 1_000_000);
  const other = await openAccount(stage, 1_000_000);
  const { projectId } = long.project;
  const { sql } = stage.world.db;
  await sql`
    insert into policies (project_id, method, path_pattern)
    select ${projectId}, 'GET', '/v1/things/' || n || '/parts*' from generate_series(1, ${POLICIES}::int) n`;
  const node = await startNode(stage, { settings: PATIENT });
  await askFor(other, node);
  const load = askInLoops(() => askFor(other, node), 2);
  const shares: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      await sql`update policies set updated_at = now()
        where project_id = ${projectId} and path_pattern = '/v1/things/1/parts*'`;
      const { verdict, words, sentAtMs, answeredAtMs } = await askFor(long, node);
      hold('a fault does not affect others', verdict === 'allowed', () => {
        return `a project of ${POLICIES} policies got ${words}`;
      });
      shares.push(longestPause(load.answers, sentAtMs, answeredAtMs) / (answeredAtMs - sentAtMs));
    }
  } finally {
    await load.stop();
    await node.stop();
  }
  const othersAllowed = countOf(other.answers, 'allowed');
  hold('a fault does not affect others', othersAllowed === other.answers.length, () => {
    return `while a long list was read, the others got ${tally(other.answers)}`;
  });
  const median = shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 1;
  hold('a fault does not affect others', median < LOAD_SHARE_MAX, () => {
    return `the others waited for ${Math.round(median * 100)} % of the time that a long list took`;
  });
  const longestPausePercent = Math.round(median * 100);
  return { policies: POLICIES, rounds, othersAllowed, longestPausePercent };
}

/** The longest time without an answer between two moments, in ms. */
function longestPause(
  answers: readonly { answeredAtMs: number }[],
  fromMs: number,
  toMs: number,
): number {
  const moments = answers
    .map(({ answeredAtMs }) => answeredAtMs)
    .filter((atMs) => atMs > fromMs && atMs < toMs);
  const pauses = [...moments, toMs].map((atMs, index) => atMs - (moments[index - 1] ?? fromMs));
  return Math.max(...pauses);
}
