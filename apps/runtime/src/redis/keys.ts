/** One hash tag per project, so that all keys of a charge are in one slot of a Redis Cluster. */
const tagOf = (projectId: string) => `ceiba:{${projectId}}`;

export const usageKey = (projectId: string) => `${tagOf(projectId)}:usage`;
export const projectCounterKey = (projectId: string) => `${tagOf(projectId)}:counter:project`;
export const apiKeyCounterKey = (projectId: string, apiKeyId: string) =>
  `${tagOf(projectId)}:counter:key:${apiKeyId}`;

/** The `SCAN` pattern of all usage keys. */
export const USAGE_KEY_PATTERN = 'ceiba:{*}:usage';

/** The project of a usage key; null for any other key. */
export function projectIdOfUsageKey(key: string): string | null {
  return /^ceiba:\{([0-9a-f-]{36})\}:usage$/.exec(key)?.[1] ?? null;
}
