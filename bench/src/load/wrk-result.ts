export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were not the expected ones, and connections that failed. */
  unexpected: number;
}

const FIELDS = ['requests', 'seconds', 'p50Ms', 'p99Ms', 'unexpected'] as const;

/**
 * The result line that `wrk.lua` prints.
 *
 * @throws Error where there is none, or where one of its fields is not a number
 */
export function parseWrkResult(output: string): LoadResult {
  const line = /^RESULT (\{.*\})$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`);
  const result: Record<string, unknown> = JSON.parse(line);
  for (const field of FIELDS) {
    if (!Number.isFinite(result[field])) throw new Error(`wrk reported no ${field}: ${line}`);
  }
  return result as unknown as LoadResult;
}
