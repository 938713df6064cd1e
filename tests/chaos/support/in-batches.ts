import type { Answer, Asking, Caller } from './caller.ts';
import { createFastRandom, type Random } from './random.ts';

/** The share of the questions that are asked in a batch. */
const SHARE = 0.5;
const TOGETHER_MAX = 16;

/** Questions to one project that leave together. */
interface Open {
  readonly most: number;
  readonly waiting: { asking: Asking; settle: (answer: Answer | undefined) => void }[];
}

/**
 * A caller that asks some of its questions, chosen at random, in batches: those to one project that
 * arrive in the same turn of the event loop, in their order. The others it asks alone.
 */
export function inBatches<C extends Caller>(caller: C, random: Random): C {
  // Of its own: how many draws it needs depends on when questions arrive.
  const choices = createFastRandom(`${random.next()}`);
  const open = new Map<string, Open>();

  const send = async (projectId: string, batch: Open) => {
    if (open.get(projectId) !== batch) return;
    open.delete(projectId);
    const answers = await caller.askBatch(batch.waiting.map(({ asking }) => asking));
    for (const [place, { settle }] of batch.waiting.entries()) settle(answers[place]);
  };
  const openFor = (projectId: string): Open => {
    const batch = { most: choices.int(2, TOGETHER_MAX), waiting: [] };
    open.set(projectId, batch);
    setImmediate(() => send(projectId, batch));
    return batch;
  };

  return {
    ...caller,
    async ask(who, question) {
      if (!choices.chance(SHARE)) return caller.ask(who, question);
      const { projectId } = who;
      const batch = open.get(projectId) ?? openFor(projectId);
      const answer = await new Promise<Answer | undefined>((settle) => {
        batch.waiting.push({ asking: { who, question }, settle });
        if (batch.waiting.length === batch.most) void send(projectId, batch);
      });
      if (answer === undefined) throw new Error('a question of a batch has no answer');
      return answer;
    },
  };
}

/** How many of the answers came in a batch of several questions. */
export function sharedIn(answers: readonly Answer[]): number {
  const batches = answers.flatMap(({ batch }) => batch ?? []);
  const shared = new Set(batches.filter(({ place }) => place > 0).map(({ id }) => id));
  return batches.filter(({ id }) => shared.has(id)).length;
}
