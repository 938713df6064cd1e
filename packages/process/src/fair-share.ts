interface Share {
  held: number;
  /** In the order in which they arrived. */
  waiting: Set<() => void>;
}

/** Limits how many calls of one user run at once, so that nobody's calls keep others waiting. */
export class FairShare {
  readonly #shares = new Map<string, Share>();

  /**
   * @param callsPerUser how many of one user's calls run at once
   * @param patienceMs how long a further call waits
   * @param tooMany the error of one that waited in vain
   */
  constructor(
    private readonly callsPerUser: number,
    private readonly patienceMs: number,
    private readonly tooMany: () => Error,
  ) {}

  /**
   * Waits for a place of the user's.
   *
   * @param patienceMs of this call, where it has its own
   * @returns gives the place back
   * @throws the error of `tooMany` when none became free in time
   */
  async enter(user: string, patienceMs = this.patienceMs): Promise<() => void> {
    const share = this.#shares.get(user) ?? { held: 0, waiting: new Set() };
    this.#shares.set(user, share);
    if (share.held < this.callsPerUser) share.held += 1;
    else await this.#waitIn(share, patienceMs);
    return () => this.#leave(user, share);
  }

  #waitIn({ waiting }: Share, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(this.tooMany());
      }, patienceMs);
      waiting.add(start);
    });
  }

  #leave(user: string, share: Share): void {
    const [next] = share.waiting;
    if (next !== undefined) {
      // The place passes on.
      share.waiting.delete(next);
      next();
      return;
    }
    share.held -= 1;
    if (share.held === 0) this.#shares.delete(user);
  }
}
