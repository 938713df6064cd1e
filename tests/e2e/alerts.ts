import { randomBytes, randomUUID } from 'node:crypto';
import postgres from 'postgres';

/** Inserts a webhook that nothing can reach, and a delivery to it that failed. */
export async function addDestination(
  projectId: string,
  databaseUrl = process.env.DATABASE_URL,
): Promise<{ destinationId: string; deliveryId: string }> {
  if (!databaseUrl) throw new Error('needs the DATABASE_URL of a stack');
  const sql = postgres(databaseUrl, { max: 1 });
  try {
    const [delivery] = await sql`
      with destination as (
        insert into alert_destinations
          (project_id, kind, address, description, event_types, signing_secret)
        values (${projectId}, 'webhook', 'https://isolation.invalid/v1/isolation', '',
          '{api_key.expiring}', ${randomBytes(24)}) returning id
      ), event as (
        insert into alert_events (project_id, type, subject, data)
        values (${projectId}, 'alert.test', ${randomUUID()}, '{}') returning id
      )
      insert into alert_deliveries (event_id, destination_id, status, attempts, last_attempt_at,
        last_error)
      select event.id, destination.id, 'failed', 10, now(), 'the connection was refused'
      from event, destination returning id, destination_id`;
    return { destinationId: delivery?.destination_id, deliveryId: String(delivery?.id) };
  } finally {
    await sql.end();
  }
}
