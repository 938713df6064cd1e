import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition holds. The timeout also ends the wait for a condition that is pending.
 *
 * @param condition Holds when it returns a truthy value.
 * @returns The truthy value, or undefined after the timeout.
 */
export async function waitFor<T>(
  condition: () => Promise<T> | T,
  { timeoutMs, intervalMs = 50 }: { timeoutMs: number; intervalMs?: number },
): Promise<T | undefined> {
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
