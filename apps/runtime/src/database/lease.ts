import type { Fence, LeaseRenewal, ServerEvidence } from '@ceiba/schema';
import type { MonotonicClock } from '../deadline.ts';
import type { Logger } from '../log.ts';
import { type RepeatedTask, repeat } from '../usage/repeat.ts';

export interface LeaseOptions {
  /** How long a lease lasts, in ms; 0: none is needed. Absent: one of a second where commits wait. */
  leaseMs: number | undefined;
  /** Commits once. A renewal with a warning proves nothing, and is `null`. */
  renew: (renewal: { always: boolean }) => Promise<LeaseRenewal | null>;
  now: MonotonicClock;
  log: Pick<Logger, 'info' | 'warn'>;
}

const DEFAULT_LEASE_MS = 1_000;
/** A lease is renewed so often while it lasts. */
const RENEWALS_A_LEASE = 4;

/**
 * Proof that a server is still the primary: it has acknowledged a commit, which the synchronous
 * standby has to have, less than a lease ago. A primary that was cut off from its cluster cannot,
 * and decides nothing any more once the lease is over; a standby that is promoted has ended it.
 * The lease counts from before the commit was sent, since the acknowledgement may be old when it
 * arrives (consistency rule 27).
 */
export class FencingLease implements Fence {
  readonly #options: LeaseOptions;
  readonly #leaseMs: number;
  /** The server that answered the last renewal, and whether that was by a commit. */
  #held: { server: string; isProven: boolean; untilMs: number } | null = null;
  #renewals: RepeatedTask | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  }

  judge(evidence: ServerEvidence): 'trusted' | 'expired' | 'elsewhere' {
    if (!this.#isNeededOn(evidence)) return 'trusted';
    const held = this.#held;
    if (held === null || this.#options.now() >= held.untilMs) return 'expired';
    if (held.server !== evidence.server) return 'elsewhere';
    return held.isProven ? 'trusted' : 'expired';
  }

  /** Renews until it is stopped. */
  start(): void {
    if (this.#leaseMs === 0) return;
    this.#renewals = repeat(async () => {
      await this.renew();
      return this.#leaseMs / RENEWALS_A_LEASE;
    });
  }

  async stop(): Promise<void> {
    await this.#renewals?.stop();
  }

  /** Renews once; never rejects. */
  async renew(): Promise<void> {
    const { renew, leaseMs, now, log } = this.#options;
    const wasHeld = this.#held !== null;
    const sentAtMs = now();
    try {
      const renewal = await renew({ always: leaseMs !== undefined });
      if (renewal === null) throw new Error('the standby did not confirm the commit');
      const { evidence, isWritten } = renewal;
      // A server that needs no lease counts as the one, so that another is given up for it.
      if (!isWritten && this.#isNeededOn(evidence)) return;
      this.#held = {
        server: evidence.server,
        isProven: isWritten,
        untilMs: sentAtMs + this.#leaseMs,
      };
      if (!wasHeld && isWritten) log.info('Postgres commits to its standby: the lease is held');
    } catch (error) {
      if (this.#held === null || now() < this.#held.untilMs) return;
      this.#held = null;
      log.warn({ err: error }, 'Postgres acknowledges no commit: the lease is over');
    }
  }

  #isNeededOn({ isSynchronous }: ServerEvidence): boolean {
    return this.#options.leaseMs === undefined ? isSynchronous : this.#leaseMs > 0;
  }
}
