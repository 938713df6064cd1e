import 'server-only';
import {
  type ApiKeyRow,
  type AuditRow,
  changeThatDenied,
  type Database,
  type DecisionRecord,
  getApiKeyRow,
  listAudit,
} from '@ceiba/schema';

/** What made a recorded call denied. */
export interface CauseOfDenial {
  /** The newest such change before the call; null if the audit log has none. */
  change: AuditRow | null;
  /** The key as it is now; null if the project has none. */
  apiKey: ApiKeyRow | null;
  /** Whether a change of the key denied the call, and not one of its customer. */
  isOfKey: boolean;
}

/** Reads the change of a key or a customer that denied a call; null where no such change can have. */
export async function readCause(
  db: Database,
  projectId: string,
  decision: DecisionRecord,
): Promise<CauseOfDenial | null> {
  const sought = changeThatDenied(decision);
  if (sought === null) return null;
  const { apiKeyId, at } = decision;
  const [{ items }, apiKey] = await Promise.all([
    listAudit(db, {
      ownerId: null,
      projectId,
      targetIds: [sought.targetId],
      actions: [sought.action],
      // The time of the call is exact to the ms.
      to: new Date(at.getTime() + 1),
      limit: 1,
    }),
    apiKeyId === null ? null : getApiKeyRow(db, { projectId, apiKeyId }),
  ]);
  return { change: items[0] ?? null, apiKey, isOfKey: sought.targetId === apiKeyId };
}
