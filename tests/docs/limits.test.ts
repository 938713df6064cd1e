import { BATCH_SIZE_MAX, PAGE_MAX } from '@ceiba/contract';
import { DISPLAY_NAME_LENGTH_MAX, OVERLAP_SECONDS_MAX } from '@ceiba/contract/sets';
import {
  ALERT_DESTINATIONS_MAX,
  DECISION_RETENTION_DAYS_MAX,
  METHOD_LENGTH_MAX,
  PATH_LENGTH_MAX,
  PLAN_LIMIT_MAX,
  POLICIES_MAX,
  PROJECT_MEMBERS_MAX,
  QUOTA_MAX,
  RETENTION_DAYS_MAX,
  SECRET_OVERLAP_HOURS,
  SESSIONS_MAX,
  UNSAMPLED_PER_MINUTE,
} from '@ceiba/domain';
import { expect, it } from 'vitest';
import { DECISION_LOG_LIMITS } from '../../apps/runtime/src/decision-log/decision-log.ts';
import { readGuide } from '../support/guide.ts';

const LIMITS: Record<string, number> = {
  'Questions in a batch': BATCH_SIZE_MAX,
  'Characters of a path': PATH_LENGTH_MAX,
  'Characters of a method': METHOD_LENGTH_MAX,
  "Characters of a key's name": DISPLAY_NAME_LENGTH_MAX,
  'A rate, and a cap of active keys': PLAN_LIMIT_MAX,
  'A quota': QUOTA_MAX,
  'Members of a project': PROJECT_MEMBERS_MAX,
  'Sessions of a user': SESSIONS_MAX,
  'Hours for which a previous project secret is valid': SECRET_OVERLAP_HOURS,
  'Days for which a previous secret of a key is valid': OVERLAP_SECONDS_MAX / 86_400,
  'Policies of a project': POLICIES_MAX,
  'Days of the decision log': DECISION_RETENTION_DAYS_MAX,
  'Logged decisions of a kind, per minute and Runtime process': DECISION_LOG_LIMITS.perMinute,
  'Allowed calls that are logged unsampled, per minute and Runtime process': UNSAMPLED_PER_MINUTE,
  'Decisions in a page of the log': PAGE_MAX,
  'Days of usage and audit log': RETENTION_DAYS_MAX,
  'Alert destinations of a project': ALERT_DESTINATIONS_MAX,
};

it.each(Object.entries(LIMITS))('the guide has the limit of the code: %s', (name, limit) => {
  const row = readGuide('reference/limits.md')
    .text.split('\n')
    .find((line) => line.startsWith(`| ${name} |`));
  expect(row?.split('|')[2]?.trim()).toBe(limit.toLocaleString('en-US'));
});
