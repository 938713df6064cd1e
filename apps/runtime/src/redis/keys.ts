import { UUID_PATTERN } from '@ceiba/contract/sets';
import { nameWithPeriod, type Scope } from '@ceiba/domain';

/** One hash tag per project, so that all keys of a charge are in one slot of a Redis Cluster. */
const tagOf = (projectId: string) => `ceiba:{${projectId}}`;

export const usageKey = (projectId: string) => `${tagOf(projectId)}:usage`;
export const projectCounterKey = (projectId: string) => `${tagOf(projectId)}:counter:project`;
export const customerCounterKey = (projectId: string, customerId: string) =>
  `${tagOf(projectId)}:counter:customer:${customerId}`;
export const apiKeyCounterKey = (projectId: string, apiKeyId: string) =>
  `${tagOf(projectId)}:counter:key:${apiKeyId}`;
/** The counter of a scope of a project. */
export const counterKey = (projectId: string, { kind, id, period }: Scope) =>
  nameWithPeriod(COUNTER_KEYS[kind](projectId, id), period);

const COUNTER_KEYS = {
  project: projectCounterKey,
  customer: customerCounterKey,
  api_key: apiKeyCounterKey,
} as const satisfies Record<Scope['kind'], (projectId: string, id: string) => string>;

/** The `SCAN` pattern of all usage keys. */
export const USAGE_KEY_PATTERN = 'ceiba:{*}:usage';

const USAGE_KEY = new RegExp(`^ceiba:\\{(${UUID_PATTERN})\\}:usage$`);

/** The project of a usage key; null for any other key. */
export function projectIdOfUsageKey(key: string): string | null {
  return USAGE_KEY.exec(key)?.[1] ?? null;
}
