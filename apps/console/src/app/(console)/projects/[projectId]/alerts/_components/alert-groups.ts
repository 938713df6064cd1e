import { ALERT_TYPES, type AlertType } from '@ceiba/domain';
import type { AlertChoice, AlertGroup } from './destination-fields.tsx';

/** What a new destination gets; changes that users make themselves are extra. */
const USUAL: readonly AlertType[] = [
  'quota.threshold_reached',
  'api_key.expiring',
  'decisions.failing',
  'denials.unusual',
];

/** Where the form has each alert; the groups are in the order in which they are named first. */
const GROUPS = {
  'quota.threshold_reached': 'Limits',
  'api_key.quota_nearly_used': 'Limits',
  'customer.quota_nearly_used': 'Limits',
  'api_key.quota_used_up': 'Limits',
  'customer.quota_used_up': 'Limits',
  'denials.unusual': 'Decisions',
  'decisions.failing': 'Decisions',
  'api_key.expiring': 'Keys',
  'api_key.idle': 'Keys',
  'api_key.previous_secret_used': 'Keys',
  'api_key.rotated': 'Keys',
  'api_key.revoked': 'Keys',
  'project.previous_secret_used': 'Project',
  'project.secret_rotated': 'Project',
  'subscription.changed': 'Project',
} as const satisfies Record<AlertType, string>;

/** Every alert by group, with those of a destination chosen. */
export function alertGroups(chosen: readonly string[] = USUAL): AlertGroup[] {
  const groups = new Map<string, AlertChoice[]>();
  for (const type of Object.keys(GROUPS) as AlertType[]) {
    const choices = groups.get(GROUPS[type]) ?? [];
    groups.set(GROUPS[type], choices);
    choices.push({ type, words: ALERT_TYPES[type], chosen: chosen.includes(type) });
  }
  return Array.from(groups, ([name, choices]) => ({ name, choices }));
}
