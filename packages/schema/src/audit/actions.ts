/** Every change that is audited. */
export const AUDIT_ACTIONS = [
  'project.create',
  'project.update',
  'project.delete',
  'project.rotate_secret',
  'project.transfer',
  'project.import_keys',
  'invitation.create',
  'invitation.revoke',
  'invitation.accept',
  'member.set_role',
  'member.remove',
  'member.leave',
  'project.end_previous_secret',
  'subscription.set',
  'policy.create',
  'policy.update',
  'policy.delete',
  'customer_plan.create',
  'customer_plan.update',
  'customer_plan.delete',
  'api_key.create',
  'api_key.set_expiry',
  'api_key.set_limits',
  'api_key.update',
  'api_key.move',
  'api_key.set_scopes',
  'api_key.rotate',
  'api_key.end_previous_secret',
  'api_key.disable',
  'api_key.enable',
  'api_key.revoke',
  'api_key.archive',
  'customer.create',
  'customer.update',
  'customer.suspend',
  'customer.resume',
  'alert_destination.create',
  'alert_destination.update',
  'alert_destination.rotate_secret',
  'alert_destination.enable',
  'alert_destination.disable',
  'alert_destination.delete',
  'alert_destination.test',
  'alert_destination.send_again',
  'alert_destination.ask',
  'alert_address.confirm',
  'alert_address.unsubscribe',
  'plan.create',
  'plan.update',
  'plan.delete',
  'setup_token.create',
  'user.create',
  'user.set_password',
  'user.create_password_reset',
  'user.use_password_reset',
  'user.add_second_factor',
  'user.remove_second_factor',
  'user.replace_recovery_codes',
  'user.add_passkey',
  'user.rename_passkey',
  'user.remove_passkey',
  'user.create_access_token',
  'user.revoke_access_token',
  'user.update',
  'user.delete',
  'user.sign_out_everywhere',
  'user.end_session',
  'sign_in.succeed',
  'sign_in.end',
  'sign_in.refuse',
  'sign_in.refuse_second_factor',
  'sign_in.refuse_without_passkey',
  'retention.set',
  'second_factor.require',
  'second_factor.release',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * The tables of the kinds whose items are found by their ID, so that a row can show whether its target
 * still exists; those of a project only there.
 */
export const AUDITED_TABLES = [
  { kind: 'api_key', table: 'api_keys', isInProject: true },
  { kind: 'customer', table: 'customers', isInProject: true },
  { kind: 'policy', table: 'policies', isInProject: true },
  { kind: 'customer_plan', table: 'customer_plans', isInProject: true },
  { kind: 'alert_destination', table: 'alert_destinations', isInProject: true },
  { kind: 'plan', table: 'plans', isInProject: false },
  { kind: 'user', table: 'users', isInProject: false },
  { kind: 'sign_in', table: 'users', isInProject: false },
] as const;

export interface AuditEntry {
  action: AuditAction;
  target: { id: string; label?: string };
  projectId?: string;
  ownerId?: string;
  /** The changed fields, before and after; never a secret or a digest. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}
