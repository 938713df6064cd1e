import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition holds.
 *
 * @template T
 * @param {() => Promise<T> | T} condition Holds when it returns a truthy value.
 * @param {{ timeoutMs: number, intervalMs?: number }} options
 * @returns {Promise<T | undefined>} The truthy value, or undefined after the timeout.
 */
export async function waitFor(condition, { timeoutMs, intervalMs = 50 }) {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() >= deadlineMs) return undefined;
    await delay(intervalMs);
  }
}
