import type { MemberRole, ProjectRole } from '@ceiba/domain';

/** What each role that a member can have may do. */
export const MEMBER_ROLE_WORDS = {
  viewer: 'Sees every page, downloads what it shows, and uses the simulator.',
  developer:
    'Also changes keys, policies and alerts, and creates, changes and suspends customers and gives them plans.',
} as const satisfies Record<MemberRole, string>;

/** What each role may do, in the order of the list. */
export const ROLE_WORDS = {
  ...MEMBER_ROLE_WORDS,
  owner:
    'Also changes the plans of customers, the subscription, the settings, the secret and the members, and transfers or deletes the project.',
} as const satisfies Record<ProjectRole, string>;
