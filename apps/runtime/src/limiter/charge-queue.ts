import type { ChargeRequest } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import type { Seed } from './charge-arguments.ts';
import type { ChargeReply } from './charge-reply.ts';

export interface QueuedCharge {
  request: ChargeRequest;
  seeds: readonly Seed[] | null;
  /** Of this charge alone; the others of its call have their own. */
  deadline: Deadline;
}

/** Carries charges of one project to Redis in one call; one reply per charge, in order. */
export type CarryCharges = (
  projectId: string,
  charges: readonly QueuedCharge[],
) => Promise<readonly ChargeReply[]>;

export interface ChargeLimits {
  /** Charges per call: with so many distinct keys, the script runs for about a millisecond. */
  maxCharges: number;
  /** Charges per project that may wait for its next call. */
  maxWaiting: number;
}

export const CHARGE_LIMITS: ChargeLimits = { maxCharges: 64, maxWaiting: 4_096 };

/** How long after its deadline a charge may be answered; the decision's own deadline is exact. */
const LOOK_EVERY_MS = 10;

interface Waiter extends QueuedCharge {
  resolve: (reply: ChargeReply) => void;
  reject: (error: unknown) => void;
}

/** The open charges of one project. */
interface ProjectQueue {
  readonly projectId: string;
  /** A FIFO queue. */
  waiting: Waiter[];
  /** Carried by the call in flight; empty if there is none. */
  sent: readonly Waiter[];
  isScheduled: boolean;
}

/**
 * Charges share calls, as lookups share statements (rule shared-calls). Each project has at most
 * one call in flight; charges that arrive meanwhile wait for its next call. No project waits for
 * the call of another.
 */
export class ChargeQueue {
  readonly #carry: CarryCharges;
  readonly #limits: ChargeLimits;
  /** Of projects with open charges. */
  readonly #queues = new Map<string, ProjectQueue>();
  /** Queues whose next call leaves at the end of this turn of the event loop. */
  #scheduled: ProjectQueue[] = [];
  #isLooking = false;

  constructor(carry: CarryCharges, limits: ChargeLimits = CHARGE_LIMITS) {
    this.#carry = carry;
    this.#limits = limits;
  }

  /**
   * @throws UnavailableError where the queue is full, the deadline passes, or the call fails. A
   *   charge that was sent may still have been made; one that was waiting was not.
   */
  charge({ request, seeds, deadline }: QueuedCharge): Promise<ChargeReply> {
    const queue = this.#queueOf(request.projectId);
    if (queue.waiting.length >= this.#limits.maxWaiting) {
      const message = 'too many charges of the project are waiting';
      return Promise.reject(new UnavailableError('overload', message));
    }
    return new Promise((resolve, reject) => {
      queue.waiting.push({ request, seeds, deadline, resolve, reject });
      this.#schedule(queue);
      this.#lookLater();
    });
  }

  #queueOf(projectId: string): ProjectQueue {
    const queue = this.#queues.get(projectId) ?? {
      projectId,
      waiting: [],
      sent: [],
      isScheduled: false,
    };
    this.#queues.set(projectId, queue);
    return queue;
  }

  /** The call leaves when everything that this turn of the event loop brings has joined it. */
  #schedule(queue: ProjectQueue): void {
    if (queue.isScheduled || queue.sent.length > 0) return;
    queue.isScheduled = true;
    this.#scheduled.push(queue);
    if (this.#scheduled.length === 1) setImmediate(() => this.#sendScheduled());
  }

  #sendScheduled(): void {
    const queues = this.#scheduled;
    this.#scheduled = [];
    for (const queue of queues) {
      queue.isScheduled = false;
      void this.#send(queue);
    }
  }

  async #send(queue: ProjectQueue): Promise<void> {
    queue.sent = this.#take(queue);
    if (queue.sent.length > 0) await this.#settle(queue);
    queue.sent = [];
    if (queue.waiting.length > 0) this.#schedule(queue);
    else this.#queues.delete(queue.projectId);
  }

  /** The oldest charges that are still within their deadlines. */
  #take({ waiting }: ProjectQueue): Waiter[] {
    const taken: Waiter[] = [];
    let looked = 0;
    while (looked < waiting.length && taken.length < this.#limits.maxCharges) {
      const waiter = waiting[looked++];
      if (waiter && !rejectIfPast(waiter, UNSENT)) taken.push(waiter);
    }
    waiting.splice(0, looked);
    return taken;
  }

  /** Never rejects. What fails a call fails the charges that wait, too: the outage is theirs. */
  async #settle(queue: ProjectQueue): Promise<void> {
    try {
      const replies = await this.#carry(queue.projectId, queue.sent);
      for (const [index, { resolve, reject }] of queue.sent.entries()) {
        const reply = replies[index];
        if (reply) resolve(reply);
        else reject(new UnavailableError('redis', 'a call did not answer each of its charges'));
      }
    } catch (error) {
      for (const { reject } of [...queue.sent, ...queue.waiting.splice(0)]) reject(error);
    }
  }

  /** One timer for all open charges, since most are answered long before their deadlines. */
  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // A reply that already lies in the socket is in time: a busy event loop reads it first.
    setTimeout(() => setImmediate(() => this.#look()), LOOK_EVERY_MS);
  }

  #look(): void {
    this.#isLooking = false;
    for (const queue of this.#queues.values()) {
      for (const waiter of queue.sent) rejectIfPast(waiter, UNANSWERED);
      queue.waiting = queue.waiting.filter((waiter) => !rejectIfPast(waiter, UNSENT));
    }
    if (this.#queues.size > 0) this.#lookLater();
  }
}

const UNSENT = 'the deadline passed before a call could carry the charge';
const UNANSWERED = 'the deadline passed before the call answered';

/** @returns whether the deadline has passed; rejecting a second time changes nothing */
function rejectIfPast({ deadline, reject }: Waiter, message: string): boolean {
  const { isPast } = deadline;
  if (isPast) reject(new UnavailableError('redis', message));
  return isPast;
}
