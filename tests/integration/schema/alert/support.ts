import { randomBytes } from 'node:crypto';
import { mintMailLink } from '@ceiba/domain';
import {
  type ClaimOptions,
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
    problemOfUrl: () => null,
    ...change,
  });
  const { destinationId } = expectKind(created, 'created');
  return { projectId, destinationId };
}

/** Claims as a process does, with the links of its mails. */
export function claimAs(change: Partial<ClaimOptions> = {}): ClaimOptions {
  return { most: 20, claimSeconds: 60, mintLink: () => mintMailLink(randomBytes), ...change };
}

/** Records that an address wants the alerts of a project, as its user does with the link of a mail. */
export const consent = (db: Database, projectId: string, address = 'ops@example.com') => db.sql`
  insert into alert_consents (project_id, address_digest, answer)
  values (${projectId}, sha256(convert_to(lower(${address}::text), 'UTF8')), 'confirmed')
  on conflict do nothing`;

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
