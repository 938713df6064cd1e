interface Entry {
  readonly atMs: number;
  /** Of two entries at the same time, the one that was added first runs first. */
  readonly order: number;
  run: (() => void) | null;
}

/** The part of Node's timer object that the Runtime uses. */
export interface VirtualTimer {
  readonly entry: Entry;
  unref(): VirtualTimer;
  ref(): VirtualTimer;
}

/**
 * A clock that advances when there is nothing left to do. Each timer runs alone: all promises that it
 * settles have finished before the next timer.
 */
export class VirtualClock {
  nowMs = 0;
  readonly #heap: Entry[] = [];
  #made = 0;

  after(delayMs: number, run: () => void): VirtualTimer {
    const entry = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#made++, run };
    this.#push(entry);
    const timer: VirtualTimer = { entry, unref: () => timer, ref: () => timer };
    return timer;
  }

  cancel(timer: VirtualTimer | undefined): void {
    if (timer) timer.entry.run = null;
  }

  /** Advances to a time, or until a condition is true. */
  async runUntil(endMs: number, isOver: () => boolean = () => false): Promise<void> {
    await turn();
    for (let next = this.#heap[0]; next !== undefined && !isOver(); next = this.#heap[0]) {
      if (next.atMs > endMs) break;
      this.#pop();
      if (next.run === null) continue;
      this.nowMs = next.atMs;
      next.run();
      await turn();
    }
    if (!isOver()) this.nowMs = Math.max(this.nowMs, endMs);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(entry, heap[parent]); ) {
      heap[at] = heap[parent] as Entry;
      at = parent;
      parent = (at - 1) >> 1;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Resolves after all pending promise callbacks, on the next iteration of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
