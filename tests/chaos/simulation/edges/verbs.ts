import type { LookupItem, PeriodTotalItem, UsageBatch } from '@ceiba/schema';
import type { PooledDatabase } from '../postgres-model.ts';

// Replaces the verbs of the same names with one statement each, which the model answers.

export const pingDatabase = (db: PooledDatabase) => db.run(() => {});
export const lookupMany = (db: PooledDatabase, items: readonly LookupItem[]) =>
  db.run((model) => model.lookup(items));
export const listPoliciesWithRevision = (db: PooledDatabase, projectIds: readonly string[]) =>
  db.run((model) => model.listPolicies(projectIds));
/** The model returns whole lists. */
export const listFurtherPolicies = () => Promise.reject(new Error('a list has one page here'));
export const readPeriodTotals = (db: PooledDatabase, items: readonly PeriodTotalItem[]) =>
  db.run((model) => model.usage.readPeriodTotals(items));
/** No decision reads it. */
export const readPeriodUse = () => Promise.reject(new Error('the model has no times of counts'));
export const compareUsage = (
  db: PooledDatabase,
  batch: Pick<UsageBatch, 'hours' | 'months' | 'days'>,
) => db.run((model) => model.usage.compareUsage(batch));
export const recordUsage = (db: PooledDatabase, batch: UsageBatch) =>
  db.run((model) => model.usage.recordUsage(batch));
export const recordFirstUses = (db: PooledDatabase, apiKeyIds: readonly string[]) =>
  db.run((model) => model.recordFirstUses(apiKeyIds));
export const recordFirstUse = (db: PooledDatabase, apiKeyId: string) =>
  db.run((model) => void model.recordFirstUses([apiKeyId]));
export const applyRetention = async () => ({ isComplete: true });
export const rollUpUsage = async () => ({ isComplete: true });
export const writeDecisions = (db: PooledDatabase) => db.run(() => {});
export const maintainDecisionLog = async () => ({ isComplete: true });
export const removeDeadLeases = async () => ({ isComplete: true });
