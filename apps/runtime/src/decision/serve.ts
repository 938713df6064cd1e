import type { Decision } from '@ceiba/contract';
import { TransportError } from '../errors.ts';
import type { Answers, Call } from './call.ts';
import type { Dependencies } from './dependencies.ts';
import type { Entrance, Share } from './entrance.ts';
import { load } from './load.ts';
import { deadlineOfItems, outcomesOf } from './outcomes.ts';
import { judge, settle } from './settle.ts';

export interface Room {
  entrance: Pick<Entrance, 'admit'>;
  dependencies: Dependencies;
}

/**
 * Serves a call: admit, load, judge, settle, answer. Every way in ends here and only translates.
 *
 * @throws TransportError for a wrong secret, then for a wrong body; UnavailableError for any outage
 */
export function serve({ entrance, dependencies }: Room, call: Call): Promise<Answers> {
  const watched = call.trace?.watch(dependencies, call.kind) ?? dependencies;
  return entrance.admit(call, (share) =>
    call.deadline.race(call.tooSlow, decideAll(watched, call, share)),
  );
}

/** Serves a call with one question. @throws as {@link serve}, and what fails its question */
export async function serveOne(room: Room, call: Call): Promise<Decision> {
  const [answer] = await serve(room, call);
  if (answer === undefined) throw new Error('a question has no answer');
  if (answer instanceof Error) throw answer;
  return answer;
}

async function decideAll(dependencies: Dependencies, call: Call, share: Share): Promise<Answers> {
  const { kind, deadline } = call;
  const asked = await call.read();
  if (kind === 'batch' && !(asked instanceof TransportError)) share.countDecisions(asked.length);
  const loaded = await load(dependencies, share.asker, asked, deadline);
  const ofItems = kind === 'batch' ? deadlineOfItems(deadline) : undefined;
  // In their order: each charge begins before the next question is looked at.
  const answers = await outcomesOf<Decision | TransportError>(
    loaded.map((item) =>
      item instanceof Error ? item : settle(dependencies, judge(item), ofItems ?? deadline),
    ),
    ofItems,
  );
  for (const answer of answers) {
    if (!(answer instanceof Error)) continue;
    if (kind === 'one') throw answer;
    share.report(answer);
  }
  return answers;
}
