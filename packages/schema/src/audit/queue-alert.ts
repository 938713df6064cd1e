import type { AlertType } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { bulk } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { queueAlerts } from '../outbox/queue.ts';
import type { AuditAction, AuditEntry } from './actions.ts';

/** The changes that are alerted. */
const TYPE_OF_CHANGE: Partial<Record<AuditAction, AlertType>> = {
  'api_key.revoke': 'api_key.revoked',
  'api_key.rotate': 'api_key.rotated',
  'project.rotate_secret': 'project.secret_rotated',
  'subscription.set': 'subscription.changed',
};

/**
 * Queues the alerts of at most `API_KEYS_CHANGED_MAX` changes in the transaction of their audit rows; most
 * changes have none.
 */
export async function queueAlertsOfChanges(
  tx: Executor,
  entries: readonly AuditEntry[],
  actor: string,
): Promise<void> {
  const alerts = entries.flatMap(({ action, target, projectId, before, after }) => {
    const type = TYPE_OF_CHANGE[action];
    if (type === undefined || projectId === undefined) return [];
    const data = {
      actor,
      target: { id: target.id, name: target.label ?? null },
      before: before ?? null,
      after: after ?? null,
    };
    return [{ projectId, type, data }];
  });
  if (alerts.length === 0) return;
  await queueAlerts(
    tx,
    // Each change is an alert of its own.
    sql`select project_id, type, gen_random_uuid()::text as subject, data from ${ALERTS.of(alerts)}`,
  );
}

const ALERTS = bulk<{ projectId: string; type: AlertType; data: object }>({
  project_id: ['uuid', ({ projectId }) => projectId],
  type: ['text', ({ type }) => type],
  data: ['jsonb', ({ data }) => data],
});
