import type { AlertConsent } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';

/** The digest of an address in any spelling, in one place: Postgres's `lower` is not JavaScript's. */
export const addressDigest = (address: SQL): SQL =>
  sql`sha256(convert_to(lower(${address}), 'UTF8'))`;

/** What the address of a destination answered; null without an answer. */
const answerOf = (destination: SQL): SQL => sql`(
  select c.answer from alert_consents c where c.project_id = ${destination}.project_id
    and c.address_digest = ${addressDigest(sql`${destination}.address`)})`;

/** Whether alerts may go to a destination: to a webhook always. */
export const hasConsent = (destination: SQL): SQL =>
  sql`(${destination}.kind = 'webhook' or ${answerOf(destination)} is not distinct from 'confirmed')`;

/** Whether the address of a destination refused to be asked, by any project. */
export const hasRefused = (destination: SQL): SQL => sql`exists (select from alert_refusals r
  where r.address_digest = ${addressDigest(sql`${destination}.address`)})`;

/** What a mail destination's address answered; null for a webhook and without an answer. */
export const consentColumn = (destination: SQL): SQL<AlertConsent | null> =>
  sql`case when ${destination}.kind = 'mail' then ${answerOf(destination)} end`;
