import { randomUUID } from 'node:crypto';
import type { DecisionToWrite } from '@ceiba/schema';

/** A UUID of version 7 of a time; of two from one ms, the one of the higher `order` is the later. */
export function idAt(at: Date, order = 0): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  const place = order.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${place}${randomUUID().slice(18)}`;
}

/** A denial without a key, unless changed. */
export const decisionAt = (
  projectId: string,
  at: Date,
  change: Partial<DecisionToWrite> = {},
): DecisionToWrite => ({
  projectId,
  decisionId: idAt(at),
  method: 'GET',
  path: '/v1/reports',
  outcome: 'missing_api_key',
  latencyMs: 1,
  ...change,
});
