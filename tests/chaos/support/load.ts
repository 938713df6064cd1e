import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { type Answer, tally } from './caller.ts';
import { hold } from './violation.ts';

export interface Load {
  /** All answers so far, in order of arrival. */
  readonly answers: readonly Answer[];
  /** Resolves once the last question has been answered. */
  stop(): Promise<readonly Answer[]>;
}

/** Asks in concurrent loops, each of which waits for its answer and then `pauseMs`. */
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

/** Asks at a steady pace without waiting for answers, like independent callers. */
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

const RECOVER_WITHIN_MS = 5_000;

/**
 * Waits until a question that was sent after `sinceMs` is decided, within the stated time.
 *
 * @param words what happened at `sinceMs`
 * @returns ms from `sinceMs` until the decision
 * @throws Violation if it takes too long
 */
export async function holdRecovery(load: Load, sinceMs: number, words: string): Promise<number> {
  const isDecided = () =>
    load.answers.some(({ verdict, sentAtMs }) => verdict !== 'unavailable' && sentAtMs > sinceMs);
  await until('questions are decided again', isDecided, 20_000).catch(() => {});
  const recoveryMs = Math.round(performance.now() - sinceMs);
  hold('recovers in time', isDecided() && recoveryMs <= RECOVER_WITHIN_MS, () => {
    return `${words}, and ${recoveryMs} ms later there were ${tally(load.answers)}`;
  });
  return recoveryMs;
}

/** Sends all questions before any can be answered. */
export function askAtOnce(times: number, ask: (index: number) => Promise<Answer>) {
  return Promise.all(Array.from({ length: times }, (_, index) => ask(index)));
}
