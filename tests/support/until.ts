import { waitFor } from '@ceiba/devstack/wait';

/**
 * Polls a condition until it is true; an error of the condition counts as false.
 *
 * @throws Error after `withinMs`, also if the condition is still pending
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const holds = async () => {
    try {
      return await condition();
    } catch {
      return false;
    }
  };
  if (await waitFor(holds, { timeoutMs: withinMs, intervalMs: 10 })) return;
  throw new Error(`Timed out after ${withinMs} ms, waiting until ${what}`);
}
