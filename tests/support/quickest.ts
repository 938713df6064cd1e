/**
 * How long a call takes where nothing delays it: the least of three times, in ms. A busy machine may
 * delay one call; a call that waits for something, or whose cost grows too fast, is slow each time.
 */
export async function quickest(call: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}
