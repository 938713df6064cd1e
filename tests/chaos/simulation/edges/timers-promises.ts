import { machine } from './machine.ts';

/** `setTimeout` of `node:timers/promises`. */
export function setTimeout<T>(
  delayMs: number,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    machine().clock.after(delayMs, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** `setImmediate` of `node:timers/promises`. */
export const setImmediate = (): Promise<void> =>
  new Promise((resolve) => machine().clock.after(0, resolve));
