import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { countOf, tally, type Verdict } from '../support/caller.ts';
import { type History, judge, openHistory } from '../support/history.ts';
import { askInLoops } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import type { Node, Stage } from '../support/stage.ts';
import { CHANGES, type Change, credentialsOf, prepareCustomer, type Scene } from './changes.ts';

export interface RevocationFigures {
  changes: number;
  /** Questions sent after an acknowledgement: the very next one and those of the load. */
  questionsAfter: number;
  restored: number;
}

/** Loops that ask without a pause: four on the Runtime under test, one on the other. */
const LOOPS = { a: 1, b: 4 };

export type Kind = keyof typeof CHANGES;
export const KINDS = Object.keys(CHANGES) as Kind[];

/**
 * Two Runtimes under load. A change is made through a route of `a`, a verb or plain SQL. Every
 * question sent after its acknowledgement sees the change, from the very next one to `b` on.
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
    // Each change needs a new key, and a plan caps the number of active keys.
    if (figures.changes % 100 === 99) project = await stage.world.createProject();
    const parts = { stage, project, key: await project.createKey(), a, b };
    const customer = change.needsCustomer ? await prepareCustomer(parts) : null;
    const scene = { ...parts, customer };
    const [way, makeChange] = ways[figures.changes] ?? random.pick(ways); // each at least once
    const words = `${kind} (${way})`;
    figures.questionsAfter += await proveOneChange(scene, words, change, makeChange, random);
    figures.changes += 1;
    if (change.restore !== undefined) figures.restored += 1;
  }
  return figures;
}

/** @returns how many questions were sent after the acknowledgement */
async function proveOneChange(
  scene: Scene,
  words: string,
  { becomes, restore }: Change,
  makeChange: (scene: Scene) => Promise<unknown>,
  random: Random,
): Promise<number> {
  const history = openHistory();
  const acknowledgedAtMs = await changeUnderLoad(scene, history, random, () =>
    apply(scene, history, makeChange, becomes),
  );
  const before = history.asks.filter(({ answeredAtMs }) => answeredAtMs < acknowledgedAtMs);
  const after = history.asks.filter(({ sentAtMs }) => sentAtMs > acknowledgedAtMs);
  if (restore !== undefined) {
    await apply(scene, history, restore, 'allowed');
    await ask(scene, history, scene.b);
  }
  judge(history, words);
  if (countOf(before, 'allowed') === 0) {
    throw new Error(`${words}: no call was allowed before the change: ${tally(before)}`);
  }
  return after.length;
}

/**
 * Makes the change while both Runtimes answer, then asks `b` once more: the very next question.
 *
 * @returns what `change` returned: when it was acknowledged
 */
async function changeUnderLoad(
  scene: Scene,
  history: History,
  random: Random,
  change: () => Promise<number>,
): Promise<number> {
  const who = credentialsOf(scene);
  const loads = [
    askInLoops(() => ask(scene, history, scene.a, who), LOOPS.a),
    askInLoops(() => ask(scene, history, scene.b, who), LOOPS.b),
  ];
  try {
    await until('both Runtimes answer', () => loads.every(({ answers }) => answers.length > 1));
    await pause(random.int(0, 5)); // so that the change meets a random point of the Runtime's work
    const acknowledgedAtMs = await change();
    await ask(scene, history, scene.b, who);
    return acknowledgedAtMs;
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
}

async function ask(scene: Scene, history: History, node: Node, who = credentialsOf(scene)) {
  const answer = await node.ask(who);
  history.asks.push({ ...answer, key: scene.key.apiKeyId, window: 0 });
  return answer;
}

/** @returns when the action was acknowledged */
async function apply(
  scene: Scene,
  history: History,
  action: (scene: Scene) => Promise<unknown>,
  becomes: Verdict,
): Promise<number> {
  const sentAtMs = performance.now();
  await action(scene);
  const answeredAtMs = performance.now();
  const what = 'the changed object';
  history.changes.push({ what, key: null, sentAtMs, answeredAtMs, becomes });
  return answeredAtMs;
}
