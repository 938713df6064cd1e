import type { Answer } from '../support/caller.ts';
import type { Node, Stage } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

export interface TriggersOffFigures {
  rounds: number;
  slowestMs: number;
}

/** The maximum age of a policy list, plus the time that a machine under load may take to answer. */
const HOLDS_WITHIN_MS = 5_000 + 500;

/**
 * A policy is removed while its triggers are disabled, so that the revision does not change. Questions later
 * than the maximum age of a list are denied (rule policy-age).
 */
export async function proveTriggersOff(
  { world }: Stage,
  node: Node,
  times: number,
): Promise<TriggersOffFigures> {
  const figures = { rounds: 0, slowestMs: 0 };
  for (; figures.rounds < times; figures.rounds += 1) {
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const who = { projectId: project.projectId, secret: project.secret, apiKey: plaintext };
    const before = await node.ask(who);
    hold('a change applies from the next decision on', before.verdict === 'allowed', () => {
      return `before a policy was removed: ${before.words}`;
    });
    await world.db.sql.begin(async (sql) => {
      await sql`alter table policies disable trigger user`;
      await sql`delete from policies where project_id = ${project.projectId}`;
      await sql`alter table policies enable always trigger policies_revision`;
      await sql`alter table policies enable always trigger policies_truncate_revision`;
    });
    const removedAtMs = performance.now();
    let answer: Answer;
    do {
      answer = await node.ask(who);
      hold(
        'a change applies from the next decision on',
        answer.verdict !== 'allowed' || answer.sentAtMs < removedAtMs + HOLDS_WITHIN_MS,
        () => `${HOLDS_WITHIN_MS} ms after a removal with triggers off there was ${answer.words}`,
      );
    } while (answer.verdict !== 'policy_no_match');
    const tookMs = Math.round(answer.answeredAtMs - removedAtMs);
    figures.slowestMs = Math.max(figures.slowestMs, tookMs);
  }
  return figures;
}
