import type { VirtualTimer } from '../virtual-clock.ts';
import { machine } from './machine.ts';

// Replaces the globals of the same names; `Date.now` and `Math.random` are replaced by name.

export const setTimeout = (run: () => void, delayMs = 0) => machine().clock.after(delayMs, run);
export const clearTimeout = (timer?: VirtualTimer) => machine().clock.cancel(timer);
export const setImmediate = (run: () => void) => machine().clock.after(0, run);
export const performance = { now: () => machine().clock.nowMs };
/** Whole ms, as of the real clock. */
export const virtualDateNow = () => Math.floor(machine().wallClockMs());
export const virtualRandom = () => machine().random();

/** The part of `Response` that the Runtime creates and a schedule reads. */
export class Response {
  readonly status: number;
  readonly headers = new Map<string, string>();
  readonly #text: string;

  constructor(text: string, { status }: { status: number }) {
    this.status = status;
    this.#text = text;
  }

  text = async () => this.#text;
}
