import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition holds. The timeout also ends the wait for a condition that is pending.
 *
 * @template T
 * @param {() => Promise<T> | T} condition Holds when it returns a truthy value.
 * @param {{ timeoutMs: number, intervalMs?: number }} options
 * @returns {Promise<T | undefined>} The truthy value, or undefined after the timeout.
 */
export async function waitFor(condition, { timeoutMs, intervalMs = 50 }) {
  const timeout = new AbortController();
  // A timer of infinite length would fire at once.
  const timer = Number.isFinite(timeoutMs) ? setTimeout(() => timeout.abort(), timeoutMs) : null;
  const late = new Promise((resolve) => timeout.signal.addEventListener('abort', resolve));
  const poll = async () => {
    for (;;) {
      const value = await condition();
      if (value) return value;
      if (timeout.signal.aborted) return undefined;
      await delay(intervalMs);
    }
  };
  try {
    return await Promise.race([poll(), late.then(() => undefined)]);
  } finally {
    if (timer) clearTimeout(timer);
  }
}
