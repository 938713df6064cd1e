/** Alerts: their types, and when a delivery is tried again. */
import { KEY_IDLE_DAYS, QUOTA_NEARLY_USED } from './constants.ts';

/** How long before its end a previous project secret that is still used is alerted, in hours. */
export const PREVIOUS_SECRET_LEAD_HOURS = 6;

/** What a project can be alerted of, each with the sentence that a form shows. */
export const ALERT_TYPES = {
  'quota.threshold_reached': '80% or 100% of the monthly quota is used',
  'api_key.expiring': 'A key expires within 7 days or within 1 day',
  'decisions.failing': 'The Runtime answers 503 instead of deciding',
  'denials.unusual': 'More calls than usual are denied with 401, 403 or 429',
  'api_key.quota_nearly_used': '80% of the monthly quota of a key is used',
  'customer.quota_nearly_used': '80% of the monthly quota of a customer is used',
  'api_key.quota_used_up': 'The quota of a key is used up and denies calls',
  'customer.quota_used_up': 'The quota of a customer is used up and denies calls',
  'api_key.previous_secret_used': 'The replaced secret of a key is still used on its last day',
  'api_key.idle': `A key was not used for ${KEY_IDLE_DAYS} days`,
  'api_key.revoked': 'A key is revoked',
  'api_key.rotated': 'The secret of a key is replaced',
  'project.previous_secret_used': `The previous project secret is still used in its last ${PREVIOUS_SECRET_LEAD_HOURS} hours`,
  'project.secret_rotated': 'The project secret is rotated',
  'subscription.changed': 'The subscription is changed',
} as const;
export type AlertType = keyof typeof ALERT_TYPES;

/** The type of the alert that a user sends to test a destination. */
export const TEST_ALERT = 'alert.test';
/** The type of the mail that asks an address whether it wants alerts of a project. */
export const CONFIRMATION = 'alert.confirmation';

export const ALERT_DESTINATION_KINDS = ['webhook', 'mail'] as const;
export type AlertDestinationKind = (typeof ALERT_DESTINATION_KINDS)[number];

/** Why no alert goes to a destination: a user, HTTP 410, or failures for {@link FAILING_DAYS} days. */
export const ALERT_DISABLED_REASONS = ['user', 'gone', 'failing'] as const;
export type AlertDisabledReason = (typeof ALERT_DISABLED_REASONS)[number];

export const ALERT_DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type AlertDeliveryStatus = (typeof ALERT_DELIVERY_STATUSES)[number];

/** What an address answered to a project; an address without an answer gets no alerts. */
export const ALERT_CONSENTS = ['confirmed', 'unsubscribed'] as const;
export type AlertConsent = (typeof ALERT_CONSENTS)[number];

export const ALERT_MAIL_PURPOSES = ['alert', 'confirmation'] as const;
export type AlertMailPurpose = (typeof ALERT_MAIL_PURPOSES)[number];

/** How long a mail that asks for confirmation can be answered with yes. */
export const CONFIRMATION_DAYS = 7;

/** The used shares of the monthly quota that are alerted, in percent. */
export const QUOTA_THRESHOLDS = [QUOTA_NEARLY_USED * 100, 100] as const;
/** How long before its expiry a key is alerted, in days. */
export const EXPIRY_LEAD_DAYS = [7, 1] as const;
/** The failed decisions of a project in one hour from which they are alerted. */
export const FAILED_DECISIONS_MIN = 5;

/** How long unusual denials with a status go on before they are alerted again. */
export const UNUSUAL_DENIALS_REPEAT_HOURS = 6;

/** How long alerts are kept, in days. Detection that looked further back would send them again. */
export const ALERT_MEMORY_DAYS = 60;

/** The most destinations of a project. */
export const ALERT_DESTINATIONS_MAX = 20;
/** The most alert mails to an address in an hour, of all projects together; the others wait. */
export const MAILS_PER_ADDRESS_HOUR = 60;
/** The most alert mails of all projects of an owner in an hour; the others wait. */
export const MAILS_PER_OWNER_HOUR = 300;
export const ALERT_URL_LENGTH_MAX = 2_000;
/** A destination is disabled when an attempt fails and none has succeeded for this long. */
export const FAILING_DAYS = 3;

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The pauses between the attempts of a delivery, in seconds: the schedule that Standard Webhooks
 * recommends. The last attempt is 75 hours after the first.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const RETRY_PAUSES_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** The most attempts of a delivery. */
export const ALERT_ATTEMPTS_MAX = RETRY_PAUSES_SECONDS.length + 1;
const JITTER = 0.1;

/**
 * The pause after a failed attempt, in seconds: up to a tenth longer than the schedule's, so that
 * deliveries that failed together are not tried together.
 *
 * @param attempts How many were made, from 1.
 * @param random From 0 to 1.
 * @returns null after the last attempt
 */
export function retryPauseSeconds(attempts: number, random: number): number | null {
  const pause = RETRY_PAUSES_SECONDS[attempts - 1];
  return pause === undefined ? null : pause * (1 + JITTER * random);
}
