'use client';

import type { ProjectRole } from '@ceiba/domain';
import { Check, ChevronDown } from 'lucide-react';
import { ActionForm } from '#components/action-form.tsx';
import { Popover, popoverItem } from '#components/ui/popover.tsx';
import { changeRole } from '../actions.ts';
import { MEMBER_ROLE_WORDS } from './role-words.ts';

export interface RoleChoiceProps {
  member: { userId: string; email: string; role: ProjectRole };
}

/** A member's role, and the roles to choose from. A change can be undone, so it does not ask. */
export function RoleChoice({ member: { userId, email, role } }: RoleChoiceProps) {
  return (
    <Popover
      label={`Role of ${email}`}
      placement={{ side: 'below', align: 'start' }}
      triggerClassName="-ml-2 inline-flex h-8 items-center gap-1 rounded px-2 transition-colors hover:bg-hover max-sm:h-11"
      trigger={
        <>
          <span className="sr-only">Role of {email}: </span>
          <span className="capitalize">{role}</span>
          <ChevronDown aria-hidden="true" className="size-4 text-muted" />
        </>
      }
      className="max-w-80 whitespace-normal"
    >
      <ActionForm
        action={changeRole}
        hidden={{ userId }}
        done={(changed) => ({ title: 'Role changed', description: `${email} is now ${changed}` })}
        onDone={(_, form) => form.closest<HTMLElement>('[popover]')?.hidePopover()}
      >
        {({ pending }) =>
          Object.entries(MEMBER_ROLE_WORDS).map(([choice, words]) => (
            <button
              key={choice}
              type="submit"
              name="role"
              value={choice}
              aria-current={choice === role ? 'true' : undefined}
              aria-disabled={pending || undefined}
              className={popoverItem}
            >
              <span className="grow">
                <span className="block font-medium capitalize">{choice}</span>
                <span className="block text-small text-muted">{words}</span>
              </span>
              {choice === role && <Check aria-hidden="true" />}
            </button>
          ))
        }
      </ActionForm>
    </Popover>
  );
}
