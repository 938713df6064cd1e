import { describe, expect, it } from 'vitest';
import { mayDo, PROJECT_RIGHTS, PROJECT_ROLES, type ProjectRight } from './project-roles.ts';

/** The whole table, so that a change of a right shows here. */
const MATRIX = `
view                  viewer developer owner
simulate              viewer developer owner
leave                 viewer developer owner
change_keys                  developer owner
change_customers             developer owner
change_customer_plans                  owner
change_policies              developer owner
change_alerts                developer owner
change_subscription                    owner
change_settings                        owner
change_secret                          owner
change_members                         owner
transfer                               owner
delete                                 owner
`;

describe('mayDo', () => {
  it('gives each role its rights and no other', () => {
    const lines = Object.keys(PROJECT_RIGHTS).map((right) => {
      const cells = PROJECT_ROLES.map((role) =>
        (mayDo(role, right as ProjectRight) ? role : '').padEnd(role.length),
      );
      return `${right.padEnd(22)}${cells.join(' ')}`.trimEnd();
    });
    expect(`\n${lines.join('\n')}\n`).toBe(MATRIX);
  });

  it.each(['toString', 'constructor', '', 'unknown'])('refuses the unknown right %j', (right) => {
    expect(mayDo('owner', right as ProjectRight)).toBe(false);
  });

  it('refuses an unknown role', () => {
    for (const right of Object.keys(PROJECT_RIGHTS) as ProjectRight[]) {
      expect(mayDo('guest' as 'viewer', right)).toBe(false);
    }
  });
});
