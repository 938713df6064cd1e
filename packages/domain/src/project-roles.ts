/**
 * Who may do what in a project. The owner is a field of the project, the other roles are memberships;
 * each role may do all that the one before it may.
 */

/** The roles that an invitation can give. */
export const MEMBER_ROLES = ['viewer', 'developer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const PROJECT_ROLES = [...MEMBER_ROLES, 'owner'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** The least role for each right. Every page and action of a project in the console names one. */
export const PROJECT_RIGHTS = {
  /** Reading every page, and downloading what it shows. */
  view: 'viewer',
  /** Deciding a call in the simulator, which changes and charges nothing. */
  simulate: 'viewer',
  /** Leaving; an owner transfers the project first, which the verb checks. */
  leave: 'viewer',
  /** Creating, moving, revoking and archiving keys, their expiry, their limits and their scopes. */
  change_keys: 'developer',
  /** Creating, changing, suspending and resuming customers. */
  change_customers: 'developer',
  /** What the owner sells. */
  change_customer_plans: 'owner',
  change_policies: 'developer',
  /** Webhooks and mail addresses, with their signing secrets. */
  change_alerts: 'developer',
  change_subscription: 'owner',
  /** Its name, the default rate and what the decision log records. */
  change_settings: 'owner',
  change_secret: 'owner',
  change_members: 'owner',
  transfer: 'owner',
  delete: 'owner',
} as const satisfies Record<string, ProjectRole>;
export type ProjectRight = keyof typeof PROJECT_RIGHTS;

/** Whether a role has a right. An unknown role or right is refused. */
export function mayDo(role: ProjectRole, right: ProjectRight): boolean {
  if (!Object.hasOwn(PROJECT_RIGHTS, right)) return false;
  return PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(PROJECT_RIGHTS[right]);
}
