'use client';

import {
  ArrowLeftRight,
  CalendarDays,
  CirclePause,
  CirclePlay,
  Gauge,
  type LucideIcon,
  Pencil,
  Plus,
  Tag,
} from 'lucide-react';
import { Link } from '#components/ui/link.tsx';
import { popoverItem } from '#components/ui/popover.tsx';
import { RowMenu, RowMenuButton } from '#components/ui/row-menu.tsx';
import { requestsHref } from '#lib/requests-href.ts';
import { legible } from '#lib/text.ts';
import { type CustomerTarget, calledOf } from '../customer-state.ts';
import type { CustomerStep } from './customer-dialog.tsx';
import { useCustomerStep } from './customer-dialogs.tsx';

const STEPS: readonly { step: CustomerStep; label: string; icon: LucideIcon }[] = [
  { step: 'describe', label: 'Edit name and IDs', icon: Pencil },
  { step: 'plan', label: 'Change plan', icon: Tag },
  { step: 'limits', label: 'Set limits', icon: Gauge },
  { step: 'billing_day', label: 'Set billing day', icon: CalendarDays },
];

export interface CustomerMenuProps {
  projectId: string;
  target: CustomerTarget;
  /** What the user's role permits. */
  mayChange: boolean;
  mayCreateKeys: boolean;
}

/** The actions for one customer. */
export function CustomerMenu({ projectId, target, mayChange, mayCreateKeys }: CustomerMenuProps) {
  const open = useCustomerStep();
  const { customerId, isSuspended } = target;
  return (
    <RowMenu
      label={`Actions for ${legible(calledOf(target))}`}
      links={
        <>
          <Link href={requestsHref(projectId, { customer: customerId })} className={popoverItem}>
            <ArrowLeftRight aria-hidden="true" />
            See requests
          </Link>
          {mayCreateKeys && (
            <Link
              href={`/projects/${projectId}/keys/new?customer=${customerId}`}
              className={popoverItem}
            >
              <Plus aria-hidden="true" />
              Create key
            </Link>
          )}
        </>
      }
    >
      {mayChange && (
        <>
          {STEPS.map(({ step, label, icon }) => (
            <RowMenuButton key={step} icon={icon} onChoose={(from) => open({ step, target }, from)}>
              {label}
            </RowMenuButton>
          ))}
          <RowMenuButton
            icon={isSuspended ? CirclePlay : CirclePause}
            isDangerous={!isSuspended}
            className="mt-1 border-t pt-2"
            onChoose={(from) => open({ step: isSuspended ? 'resume' : 'suspend', target }, from)}
          >
            {isSuspended ? 'Resume customer' : 'Suspend customer'}
          </RowMenuButton>
        </>
      )}
    </RowMenu>
  );
}
