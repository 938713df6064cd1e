import type { AuditAction, AuditFilter } from '@ceiba/schema';

/** The middle part of an audit sentence: actor, verb, target. */
const WORDS = {
  'project.create': 'created project',
  'project.update': 'changed project',
  'project.delete': 'deleted project',
  'project.rotate_secret': 'rotated the secret of',
  'project.transfer': 'transferred project',
  'invitation.create': 'invited',
  'invitation.revoke': 'revoked the invitation for',
  'invitation.accept': 'accepted the invitation for',
  'member.set_role': 'changed the role of',
  'member.remove': 'removed member',
  'member.leave': 'ended the membership of',
  'project.end_previous_secret': 'ended the previous secret of',
  'subscription.set': 'changed the subscription of',
  'policy.create': 'added policy',
  'policy.update': 'changed policy',
  'policy.delete': 'deleted policy',
  'api_key.create': 'created key',
  'api_key.set_expiry': 'set the expiry of key',
  'api_key.set_limits': 'set the limits of key',
  'api_key.update': 'changed key',
  'api_key.disable': 'disabled key',
  'api_key.enable': 'enabled key',
  'api_key.revoke': 'revoked key',
  'api_key.archive': 'archived key',
  'alert_destination.create': 'added alerts to',
  'alert_destination.update': 'changed alerts to',
  'alert_destination.rotate_secret': 'rotated the signing secret of',
  'alert_destination.enable': 'enabled alerts to',
  'alert_destination.disable': 'disabled alerts to',
  'alert_destination.delete': 'deleted alerts to',
  'alert_destination.test': 'sent a test to',
  'alert_destination.send_again': 'sent an alert again to',
  'alert_destination.ask': 'asked for the confirmation of',
  'alert_address.confirm': 'recorded that alerts are wanted by',
  'alert_address.unsubscribe': 'recorded that no alerts are wanted by',
  'plan.create': 'created plan',
  'plan.update': 'changed plan',
  'plan.delete': 'deleted plan',
  'setup_token.create': 'created the',
  'user.create': 'created account',
  'user.set_password': 'set the password of',
  'user.create_password_reset': 'created a link to reset the password of',
  'user.add_second_factor': 'turned on the second factor of',
  'user.remove_second_factor': 'removed the second factor of',
  'user.replace_recovery_codes': 'created new recovery codes for',
  'user.add_passkey': 'added a passkey to',
  'user.rename_passkey': 'renamed a passkey of',
  'user.remove_passkey': 'removed a passkey of',
  'user.update': 'changed account',
  'user.delete': 'deleted account',
  'user.sign_out_everywhere': 'ended every session of',
  'user.end_session': 'ended a session of',
  'retention.set': 'set the',
} as const satisfies Record<AuditAction, string>;

/** The verb of an action; an unknown action, from a newer version, is shown by its name. */
export const auditWords = (action: string): string =>
  (WORDS as Record<string, string>)[action] ?? action;

/** The types of the filter; each value is the first part of its actions, which change one `of` these. */
export const AUDIT_KINDS = [
  { value: 'api_key', name: 'Keys', of: 'project' },
  { value: 'policy', name: 'Policies', of: 'project' },
  { value: 'subscription', name: 'Subscription', of: 'project' },
  { value: 'project', name: 'Project and secret', of: 'project' },
  { value: 'member', name: 'Members', of: 'project' },
  { value: 'invitation', name: 'Invitations', of: 'project' },
  { value: 'alert_destination', name: 'Alerts', of: 'project' },
  { value: 'alert_address', name: 'Answers to alerts', of: 'project' },
  { value: 'user', name: 'Accounts', of: 'account' },
  { value: 'plan', name: 'Plans', of: 'installation' },
  { value: 'retention', name: 'Retention', of: 'installation' },
  { value: 'setup_token', name: 'Setup token', of: 'installation' },
] as const;

/** The types that can occur in a log. */
export function kindsIn({ projectId }: Pick<AuditFilter, 'projectId'>) {
  if (projectId === undefined) return AUDIT_KINDS.filter((kind) => kind.of !== 'installation');
  return AUDIT_KINDS.filter(({ of }) => (of === 'project') === (projectId !== null));
}

export interface FieldChange {
  field: string;
  /** `before` is absent if the change added the field, `after` if it removed it. */
  before?: unknown;
  after?: unknown;
}

/** The fields that differ between before and after, in their original order. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return fields.flatMap((field) =>
    JSON.stringify(old[field]) === JSON.stringify(now[field])
      ? []
      : [
          {
            field,
            ...(field in old && { before: old[field] }),
            ...(field in now && { after: now[field] }),
          },
        ],
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

/** `monthlyQuota` as `monthly quota`. */
export const fieldWords = (field: string): string =>
  field.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
