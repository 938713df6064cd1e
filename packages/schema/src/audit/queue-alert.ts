import type { AlertType } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
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

/** Queues the alert of a change in the transaction of its audit row; most changes have none. */
export async function queueAlertOfChange(
  tx: Executor,
  { action, target, projectId, before, after }: AuditEntry,
  actor: string,
): Promise<void> {
  const type = TYPE_OF_CHANGE[action];
  if (type === undefined || projectId === undefined) return;
  const data = {
    actor,
    target: { id: target.id, name: target.label ?? null },
    before: before ?? null,
    after: after ?? null,
  };
  await queueAlerts(
    tx,
    // Each change is an alert of its own.
    sql`select ${projectId}::uuid as project_id, ${type}::text as type,
      gen_random_uuid()::text as subject, ${JSON.stringify(data)}::jsonb as data`,
  );
}
