import { createDatabase } from '@ceiba/schema';
import { createTestDatabase } from '../../support/database.ts';
import { startPostgresPair } from '../../support/postgres-pair.ts';
import { type Answer, countOf, tally } from '../support/caller.ts';
import { openStage, PATIENT, type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

export interface FencingFigures {
  /** Questions that were sent later than one lease after the promotion, within `watchedMs`. */
  questionsAfter: number;
  watchedMs: number;
  /** When the last allowed question was sent, in ms after the revocation; 0 if there was none. */
  lastAllowMs: number;
}

/** The default with synchronous replication. */
const LEASE_MS = 1_000;
/** How long to ask beyond the lease: a lease that is renewed wrongly would not end. */
const WATCHED_MS = 2_000;

/**
 * A synchronous primary is cut off from its standby, which is promoted; the Runtime still reaches
 * only the old primary. No question later than one lease after the promotion is allowed for a key
 * that is revoked on the new primary (rule primary-lease).
 *
 * @param program the Runtime to start
 */
export async function proveFencing({ redisUrl, program }: Stage): Promise<FencingFigures> {
  const pair = await startPostgresPair({ isSynchronous: true });
  const { url: databaseUrl } = await createTestDatabase(pair.primary.url);
  const stage = openStage({ databaseUrl, redisUrl }, [], program);
  const node = await startNode(stage, { settings: PATIENT });
  const successor = new URL(databaseUrl);
  successor.port = new URL(pair.standby.url).port;
  const db = createDatabase(successor.toString(), { maxConnections: 1 });
  try {
    const project = await stage.world.createProject();
    const { plaintext } = await project.createKey();
    const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
    const before = await node.ask(who);
    hold(
      'a fault never allows a call',
      before.verdict === 'allowed',
      () => `before: ${before.words}`,
    );

    pair.replication.refuse();
    await pair.promote();
    await db.sql`update api_keys set status = 'revoked' where project_id = ${project.projectId}`;
    const revokedAtMs = performance.now();
    const answers: Answer[] = [];
    while (performance.now() < revokedAtMs + LEASE_MS + WATCHED_MS) {
      answers.push(await node.ask(who));
    }
    const late = answers.filter(({ sentAtMs }) => sentAtMs > revokedAtMs + LEASE_MS);
    hold('a change applies from the next decision on', countOf(late, 'allowed') === 0, () => {
      return `later than a lease after the promotion there were ${tally(late)}`;
    });
    hold('a fault is not a denial', countOf(late, 'unavailable') === late.length, () =>
      tally(late),
    );
    const allows = answers.filter(({ verdict }) => verdict === 'allowed');
    return {
      questionsAfter: late.length,
      watchedMs: WATCHED_MS,
      lastAllowMs: Math.round(Math.max(0, ...allows.map(({ sentAtMs }) => sentAtMs - revokedAtMs))),
    };
  } finally {
    await node.stop();
    await db.close();
    await stage.close();
    await pair.dispose();
  }
}
