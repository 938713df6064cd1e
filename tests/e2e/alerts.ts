import { randomBytes, randomUUID } from 'node:crypto';
import { mintMailLink } from '@ceiba/domain';
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

/** A mail that asked `ops@example.com` for confirmation; returns the token of its link. */
export async function addAlertMail(
  projectId: string,
  databaseUrl = process.env.DATABASE_URL,
): Promise<string> {
  if (!databaseUrl) throw new Error('needs the DATABASE_URL of a stack');
  const sql = postgres(databaseUrl, { max: 1 });
  const { digest, plaintext } = mintMailLink(randomBytes);
  try {
    await sql`
      insert into alert_mails (token_digest, purpose, owner_id, project_id, address_digest)
      select ${digest}, 'confirmation', owner_id, id,
        sha256(convert_to('ops@example.com', 'UTF8')) from projects where id = ${projectId}`;
    return plaintext;
  } finally {
    await sql.end();
  }
}
