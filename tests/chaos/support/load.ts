import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './caller.ts';

export interface Load {
  /** All answers so far, in the order in which they came. */
  readonly answers: readonly Answer[];
  /** Resolves once the last question has been answered. */
  stop(): Promise<readonly Answer[]>;
}

/** Asks in loops that each wait for their answer, without a pause unless one is named. */
export function askInLoops(ask: () => Promise<Answer>, loops: number, pauseMs = 0): Load {
  const answers: Answer[] = [];
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      answers.push(await ask());
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: loops }, loop));
  return {
    answers,
    async stop() {
      stopped = true;
      await running;
      return answers;
    },
  };
}

/** Asks at a steady pace whether or not answers come, as callers do who know nothing of a fault. */
export function askAtPace(ask: () => Promise<Answer>, everyMs: number): Load {
  const answers: Answer[] = [];
  const open = new Set<Promise<void>>();
  const askOnce = () => {
    const asked = ask().then((answer) => {
      answers.push(answer);
      open.delete(asked);
    });
    open.add(asked);
  };
  askOnce();
  const timer = setInterval(askOnce, everyMs);
  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return answers;
    },
  };
}

/** Sends them all before any can be answered. */
export function askAtOnce(times: number, ask: (index: number) => Promise<Answer>) {
  return Promise.all(Array.from({ length: times }, (_, index) => ask(index)));
}
