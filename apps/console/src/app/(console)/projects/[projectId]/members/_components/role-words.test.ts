import { PROJECT_RIGHTS, type ProjectRight } from '@ceiba/domain';
import { expect, it } from 'vitest';
import { ROLE_WORDS } from './role-words.ts';

/** What names each right; to leave is a part of the page by itself. */
const NAMED: Record<Exclude<ProjectRight, 'leave'>, RegExp> = {
  view: /every page/,
  simulate: /simulator/,
  change_keys: /changes keys/,
  change_customers: /creates, changes and suspends customers and gives them plans/,
  change_customer_plans: /changes the plans of customers/,
  change_policies: /policies/,
  change_alerts: /alerts/,
  change_subscription: /subscription/,
  change_settings: /settings/,
  change_secret: /secret/,
  change_members: /members/,
  transfer: /transfers/,
  delete: /deletes the project/,
};

it.each(Object.entries(NAMED) as [keyof typeof NAMED, RegExp][])(
  'the words of the least role for %s name it, and no others do',
  (right, name) => {
    for (const [role, words] of Object.entries(ROLE_WORDS)) {
      expect(name.test(words), role).toBe(role === PROJECT_RIGHTS[right]);
    }
  },
);
