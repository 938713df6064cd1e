import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/redis.ts';
import { type Answer, tally } from '../support/caller.ts';
import { askInLoops } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import type { Node, Stage } from '../support/stage.ts';
import { hold } from '../support/violation.ts';
import { CHANGES, type Change, credentialsOf, type Scene } from './changes.ts';

export interface RevocationFigures {
  changes: number;
  /** Questions that were sent after an acknowledgement, the very next ones and those of the load. */
  questionsAfter: number;
  restored: number;
}

/** Loops that ask without a pause: four of the Runtime that has to know, one of the other. */
const LOOPS = { a: 1, b: 4 };

export type Kind = keyof typeof CHANGES;
export const KINDS = Object.keys(CHANGES) as Kind[];

/**
 * Two Runtimes under load. A change is made on one of them, by a verb or by plain SQL; the next
 * question to the other, sent after the acknowledgement, and all that follow see it.
 */
export async function proveRevocation(
  stage: Stage,
  [a, b]: readonly [Node, Node],
  kind: Kind,
  times: number,
  random: Random,
): Promise<RevocationFigures> {
  const figures: RevocationFigures = { changes: 0, questionsAfter: 0, restored: 0 };
  const change: Change = CHANGES[kind];
  const ways = Object.entries(change.ways);
  let project = await stage.world.createProject();
  while (figures.changes < times) {
    // Each change takes a new key, and a plan caps how many of them are active.
    if (figures.changes % 100 === 99) project = await stage.world.createProject();
    const scene = { stage, project, key: await project.createKey(), a, b };
    const [way, make] = ways[figures.changes] ?? random.pick(ways); // each at least once
    const words = `${kind} (${way})`;
    figures.questionsAfter += await seenAtOnce(scene, words, change, make, random);
    figures.changes += 1;
    if (change.restore === undefined) continue;
    await change.restore(scene);
    const next = await b.ask(credentialsOf(scene));
    hold('a change holds from the next decision on', next.verdict === 'allowed', () => {
      return `${words} was taken back, and the next question came to ${next.words}`;
    });
    figures.restored += 1;
  }
  return figures;
}

/** @returns how many questions were sent after the acknowledgement */
async function seenAtOnce(
  scene: Scene,
  words: string,
  { becomes }: Change,
  make: (scene: Scene) => Promise<unknown>,
  random: Random,
): Promise<number> {
  const who = credentialsOf(scene);
  const loads = [
    askInLoops(() => scene.a.ask(who), LOOPS.a),
    askInLoops(() => scene.b.ask(who), LOOPS.b),
  ];
  let acknowledgedAtMs: number;
  let next: Answer;
  try {
    await until('every Runtime is asked', () => loads.every(({ answers }) => answers.length > 1));
    await pause(random.int(0, 5)); // wherever in its work that finds the other Runtime
    await make(scene);
    acknowledgedAtMs = performance.now();
    next = await scene.b.ask(who);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  hold('a change holds from the next decision on', next.verdict === becomes, () => {
    return `${words}: the very next question must come to ${becomes}, not to ${next.words}`;
  });
  const answers = loads.flatMap((load) => load.answers);
  const before = answers.filter(({ answeredAtMs }) => answeredAtMs < acknowledgedAtMs);
  const after = answers.filter(({ sentAtMs }) => sentAtMs > acknowledgedAtMs);
  if (!before.some(({ verdict }) => verdict === 'allowed')) {
    throw new Error(`${words}: nothing was admitted before it: ${tally(before)}`);
  }
  hold(
    'a change holds from the next decision on',
    after.every(({ verdict }) => verdict === becomes),
    () => `${words}: questions sent after it must come to ${becomes}, not to ${tally(after)}`,
  );
  return after.length + 1;
}
