import { setTimeout as pause } from 'node:timers/promises';
import { SharedCheck } from '@ceiba/process/tasks';
import { type UnavailableDependency, UnavailableError } from './unavailable.ts';

/** How long a check waits for its servers, in ms; it then has {@link WAIT_MS} for the rehearsal. */
export const CHECK_BUDGET_MS = 700;
/** How long an answer waits for a rehearsal, in ms: it has to be sent within a second. */
const WAIT_MS = 300;

/** What a check adds to a ping: the dependency also does what it is needed for. */
export class Rehearsal {
  readonly #dependency: UnavailableDependency;
  readonly #shared: SharedCheck;
  readonly #whatToChange: (error: unknown) => string | null;

  /**
   * @param rehearse - Does what is needed, with a write.
   * @param whatToChange - Null for an outage: the ping finds it, without waiting for the next run.
   */
  constructor(
    dependency: UnavailableDependency,
    rehearse: () => Promise<void>,
    whatToChange: (error: unknown) => string | null,
  ) {
    this.#dependency = dependency;
    this.#shared = new SharedCheck(rehearse);
    this.#whatToChange = whatToChange;
  }

  /** @throws UnavailableError that says what to change, where the last run found that */
  async check(): Promise<void> {
    const run = this.#shared.run().catch((error: unknown) => {
      const change = this.#whatToChange(error);
      if (change !== null) throw new UnavailableError(this.#dependency, change, { cause: error });
    });
    // One that takes longer says nothing of the set-up; the next question has its result.
    await Promise.race([run, pause(WAIT_MS)]);
  }
}
