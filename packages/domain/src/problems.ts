/** What can be wrong in a project, and when its denials are unusual. */

/** Worst first: lists and pages show problems in this order. */
export const PROBLEM_KINDS = [
  'subscription_inactive',
  'quota_used_up',
  'unusual_denials',
  'customers_lapsed',
  'customer_quota_used_up',
  'api_key_quota_used_up',
  'api_keys_expiring',
  'quota_nearly_used',
] as const;

/*
 * The denials of an hour with one status are unusual if they are at least UNUSUAL_DENIALS_MIN and more
 * than UNUSUAL_DENIALS_FACTOR times the average of the same hour of the USUAL_DAYS days before.
 */

/** Fewer denials in an hour are never unusual. */
export const UNUSUAL_DENIALS_MIN = 50;
export const UNUSUAL_DENIALS_FACTOR = 2;
/** The days whose same hour says what is usual; a day without calls counts as one with no denial. */
export const USUAL_DAYS = 7;
