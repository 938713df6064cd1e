/** @returns the smallest value that at least this share of the values does not exceed */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** A summary of times in ms, for the figures. */
export const distributionOf = (timesMs: readonly number[]) => ({
  p50Ms: Math.round(percentile(timesMs, 0.5)),
  p99Ms: Math.round(percentile(timesMs, 0.99)),
  maxMs: Math.round(Math.max(0, ...timesMs)),
});
