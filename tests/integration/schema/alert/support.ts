import { randomBytes } from 'node:crypto';
import {
  type CreateAlertDestinationInput,
  createAlertDestination,
  type Database,
  type VerbContext,
} from '@ceiba/schema';
import { expectKind } from '../support.ts';

export interface MadeDestination {
  projectId: string;
  destinationId: string;
}

export async function makeDestination(
  ctx: VerbContext,
  projectId: string,
  change: Partial<Omit<CreateAlertDestinationInput, 'projectId'>> = {},
): Promise<MadeDestination> {
  const { kind = 'webhook' } = change;
  const created = await createAlertDestination(ctx, {
    projectId,
    kind,
    address: kind === 'webhook' ? 'https://hooks.example.com/t/secret-token' : 'ops@example.com',
    description: '',
    eventTypes: ['quota.threshold_reached', 'api_key.expiring', 'decisions.failing'],
    signingSecret: kind === 'webhook' ? randomBytes(24) : null,
    ...change,
  });
  const { destinationId } = expectKind(created, 'created');
  return { projectId, destinationId };
}

export interface QueuedAlert {
  type: string;
  data: Record<string, unknown>;
  destinationIds: string[];
}

/** The alerts of a project, by their subjects. */
export async function queuedAlerts(db: Database, projectId: string): Promise<QueuedAlert[]> {
  return db.sql<QueuedAlert[]>`
    select e.type, e.data, coalesce((select json_agg(destination_id order by destination_id)
      from alert_deliveries d where d.event_id = e.id), '[]') as "destinationIds"
    from alert_events e where project_id = ${projectId} order by type, data ->> 'threshold', subject`;
}
