import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { Fence, LeaseRenewal, ServerEvidence } from '@ceiba/schema';
import type { MonotonicClock } from '../deadline.ts';

export interface LeaseOptions {
  /**
   * How long a lease lasts, in ms; 0 turns leases off. If absent, servers whose commits wait for a
   * standby need a lease of one second.
   */
  leaseMs: number | undefined;
  /** Commits once. Null where Postgres warned that the standby did not confirm. */
  renew: (renewal: { always: boolean }) => Promise<LeaseRenewal | null>;
  now: MonotonicClock;
  log: Pick<Logger, 'info' | 'warn'>;
}

const DEFAULT_LEASE_MS = 1_000;
const RENEWALS_PER_LEASE = 4;

/**
 * Proof that a server is still the primary: less than a lease ago it acknowledged a commit, which
 * its synchronous standby must have confirmed. A primary that is cut off from its cluster cannot
 * renew, so no decision trusts it after the lease. The lease starts when the commit is sent, since
 * the acknowledgement may arrive late (rule primary-lease).
 */
export class FencingLease implements Fence {
  readonly #options: LeaseOptions;
  readonly #leaseMs: number;
  /** The server of the last renewal, and whether it proved itself by a commit. */
  #held: { server: string; isProven: boolean; untilMs: number } | null = null;
  /** Whether the log has the cause, since the last renewal that succeeded. */
  #isReported = false;
  #renewals: BackgroundTask | null = null;

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

  /** Renews until `stop`. */
  start(): void {
    if (this.#leaseMs === 0) return;
    this.#renewals = new BackgroundTask({
      name: 'renewing the lease',
      run: () => this.renew(),
      pauseMs: () => this.#leaseMs / RENEWALS_PER_LEASE,
      log: this.#options.log,
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
      // Also kept for a server that needs no lease: connections to another server are dropped.
      if (!isWritten && this.#isNeededOn(evidence)) return;
      this.#held = {
        server: evidence.server,
        isProven: isWritten,
        untilMs: sentAtMs + this.#leaseMs,
      };
      this.#isReported = false;
      if (!wasHeld && isWritten) log.info('Postgres commits to its standby: the lease is valid');
    } catch (error) {
      const isValid = this.#held !== null && now() < this.#held.untilMs;
      if (isValid || this.#isReported) return;
      this.#held = null;
      this.#isReported = true;
      log.warn({ err: error }, 'Postgres acknowledges no commit: there is no valid lease');
    }
  }

  #isNeededOn({ isSynchronous }: ServerEvidence): boolean {
    return this.#options.leaseMs === undefined ? isSynchronous : this.#leaseMs > 0;
  }
}
