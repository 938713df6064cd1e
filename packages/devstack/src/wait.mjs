import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition holds.
 *
 * @template T
 * @param {() => Promise<T> | T} condition Done when it returns something truthy.
 * @param {{ timeoutMs: number, intervalMs?: number }} options
 * @returns {Promise<T | undefined>} The truthy value, or undefined once the time is up.
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
