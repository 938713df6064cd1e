'use client';

import { Archive, Ban, CalendarClock, Ellipsis, FlaskConical, Gauge } from 'lucide-react';
import Link from 'next/link';
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { DropdownItem, DropdownMenu, DropdownSeparator } from '../ui/dropdown-menu.tsx';
import { type KeyStep, type KeyTarget, useKeyStep } from './key-dialogs.tsx';

const CHANGES = [
  { step: 'expiry', label: 'Set expiry', icon: CalendarClock },
  { step: 'limits', label: 'Set limits', icon: Gauge },
] as const;
const ENDS = [
  { step: 'archive', label: 'Archive key', icon: Archive, danger: false },
  { step: 'revoke', label: 'Revoke key', icon: Ban, danger: true },
] as const;

export interface KeyMenuProps {
  projectId: string;
  target: KeyTarget;
  /** A key that has ended can only be looked at. */
  isActive: boolean;
}

/** What can be done to one key. */
export function KeyMenu({ projectId, target, isActive }: KeyMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const openStep = useKeyStep();
  const open = (step: KeyStep) => openStep(step, target, trigger.current);
  return (
    <DropdownMenu
      trigger={
        <Button
          ref={trigger}
          size="icon"
          variant="quiet"
          aria-label={`What to do with ${target.displayName}`}
        >
          <Ellipsis aria-hidden="true" />
        </Button>
      }
    >
      <DropdownItem asChild>
        <Link href={`/projects/${projectId}/simulator?apiKeyId=${target.apiKeyId}`}>
          <FlaskConical aria-hidden="true" />
          Simulate a call with it
        </Link>
      </DropdownItem>
      {isActive && (
        <>
          {CHANGES.map(({ step, label, icon: Icon }) => (
            <DropdownItem key={step} onSelect={() => open(step)}>
              <Icon aria-hidden="true" />
              {label}
            </DropdownItem>
          ))}
          <DropdownSeparator />
          {ENDS.map(({ step, label, icon: Icon, danger }) => (
            <DropdownItem key={step} danger={danger} onSelect={() => open(step)}>
              <Icon aria-hidden="true" />
              {label}
            </DropdownItem>
          ))}
        </>
      )}
    </DropdownMenu>
  );
}
