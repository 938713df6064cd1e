import { UNSAMPLED_HOURS } from '@ceiba/domain';

/**
 * Whether the decision log samples none of a project's allows: its first allowed call is to come, or
 * was in the last 24 hours (ADR 0067).
 *
 * @param projects the alias of the table
 */
export const isUnsampled = (projects: string): string =>
  `coalesce(${projects}.first_allowed_at > now() - interval '${UNSAMPLED_HOURS} hours', true)`;
