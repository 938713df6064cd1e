import { randomBytes } from 'node:crypto';
import { mintMailLink } from '@ceiba/domain';
import { BackgroundTask } from '@ceiba/process/tasks';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  claimAlertDeliveries,
  recordAttempt,
  within,
} from '@ceiba/schema';
import type { BackgroundOptions } from './background.ts';

export interface SenderOptions extends BackgroundOptions {
  /** Makes one attempt; see `attempt.ts`. */
  attempt: (delivery: ClaimedDelivery) => Promise<AttemptOutcome>;
  pollMs?: number;
  /** How long an attempt may hold a place, in ms. */
  placeMs?: number;
  /** After this time an attempt no longer holds its place, in ms; less than its claim. */
  attemptMs?: number;
}

/** How many attempts hold a place at most, each of another destination. */
const PLACES = 20;
/**
 * After this time an attempt waits without its place: an answer that is late costs an open connection
 * and nothing else. So at most 20 more attempts begin in each two seconds, and about 170 are under way.
 */
const PLACE_MS = 2_000;
const POLL_MS = 2_000;
/** Longer than an attempt and its record take. */
const CLAIM_SECONDS = 60;
/** Attempts limit themselves; this frees the place of one that does not. */
const ATTEMPT_MS_MAX = 50_000;

/**
 * Sends the alerts of the outbox. Several processes may: each delivery is claimed by one. A process
 * that ends within an attempt leaves it to be made again, with the same id.
 */
export class AlertSender {
  readonly #options: SenderOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #inPlaces = new Set<Promise<void>>();
  readonly #task: BackgroundTask;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { pollMs = POLL_MS, log } = options;
    this.#task = new BackgroundTask({
      name: 'sending alerts',
      run: () => this.#claim(),
      pauseMs: () => pollMs,
      log,
    });
  }

  /** Claims no further delivery; resolves when the attempts under way are recorded. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#underWay);
  }

  async #claim(): Promise<void> {
    const most = PLACES - this.#inPlaces.size;
    if (most === 0) return;
    const claimed = await this.#options.run((db) =>
      claimAlertDeliveries(db, {
        most,
        claimSeconds: CLAIM_SECONDS,
        mintLink: () => mintMailLink(randomBytes),
      }),
    );
    for (const delivery of claimed) this.#start(delivery);
  }

  /** Does not wait: a slow receiver holds up no other. */
  #start(delivery: ClaimedDelivery): void {
    const attempt = this.#attempt(delivery);
    const leavePlace = () => {
      this.#inPlaces.delete(attempt);
      this.#task.hurry(0);
    };
    this.#underWay.add(attempt);
    this.#inPlaces.add(attempt);
    const timer = setTimeout(leavePlace, this.#options.placeMs ?? PLACE_MS);
    void attempt.finally(() => {
      clearTimeout(timer);
      this.#underWay.delete(attempt);
      leavePlace();
    });
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { run, attempt, log, attemptMs = ATTEMPT_MS_MAX } = this.#options;
    const { deliveryId, destinationId, projectId } = delivery;
    const about = { deliveryId, destinationId, projectId };
    try {
      const outcome = await within(attemptMs, attempt(delivery), () => new Error('too late'));
      const { isDisabled } = await run((db) =>
        recordAttempt({ db, ...BY_CEIBA }, delivery, outcome),
      );
      if (isDisabled) log.warn(about, 'disabled a destination of alerts that keeps failing');
    } catch (error) {
      log.error({ err: error, ...about }, 'an attempt to send an alert is lost; it is made again');
    }
  }
}

const BY_CEIBA = { actor: { kind: 'system' }, clientAddress: null, requestId: null } as const;
