'use client';

import {
  Archive,
  ArrowLeftRight,
  Ban,
  Braces,
  CalendarClock,
  CirclePause,
  CirclePlay,
  Contact,
  FlaskConical,
  Gauge,
  KeyRound,
  type LucideIcon,
  Pencil,
  Tag,
  TimerOff,
} from 'lucide-react';
import { Link } from '#components/ui/link.tsx';
import { popoverItem } from '#components/ui/popover.tsx';
import { RowMenu, RowMenuButton } from '#components/ui/row-menu.tsx';
import { requestsHref } from '#lib/requests-href.ts';
import { legible } from '#lib/text.ts';
import { type KeyTarget, mayReplace } from '../key-state.ts';
import type { KeyStep } from './key-dialog.tsx';
import { useKeyStep } from './key-dialogs.tsx';

interface MenuStep {
  step: KeyStep;
  label: string;
  icon: LucideIcon;
  isOffered: (target: KeyTarget) => boolean;
}

const isActive = (target: KeyTarget) => target.isActive;

const STEPS: readonly MenuStep[] = [
  { step: 'describe', label: 'Edit name and note', icon: Pencil, isOffered: () => true },
  { step: 'replace', label: 'Replace key', icon: KeyRound, isOffered: mayReplace },
  {
    step: 'end_previous',
    label: 'End the old secret',
    icon: TimerOff,
    isOffered: (target) => target.isActive && target.previous !== null,
  },
  { step: 'expiry', label: 'Set expiry', icon: CalendarClock, isOffered: isActive },
  { step: 'limits', label: 'Set limits', icon: Gauge, isOffered: isActive },
  { step: 'scopes', label: 'Set scopes', icon: Tag, isOffered: isActive },
  { step: 'metadata', label: 'Edit metadata', icon: Braces, isOffered: isActive },
  { step: 'move', label: 'Move to a customer', icon: Contact, isOffered: isActive },
  {
    step: 'disable',
    label: 'Disable key',
    icon: CirclePause,
    isOffered: (target) => target.isActive && !target.isDisabled,
  },
  {
    step: 'enable',
    label: 'Enable key',
    icon: CirclePlay,
    isOffered: (target) => target.isActive && target.isDisabled,
  },
  { step: 'archive', label: 'Archive key', icon: Archive, isOffered: isActive },
  { step: 'revoke', label: 'Revoke key', icon: Ban, isOffered: isActive },
];

export interface KeyMenuProps {
  projectId: string;
  target: KeyTarget;
  /** Whether the user's role permits changes. */
  mayChange: boolean;
  maySimulate: boolean;
}

/** The actions for one key. */
export function KeyMenu({ projectId, target, mayChange, maySimulate }: KeyMenuProps) {
  const open = useKeyStep();
  return (
    <RowMenu
      label={`Actions for ${legible(target.displayName)}`}
      links={
        <>
          <Link href={requestsHref(projectId, { key: target.apiKeyId })} className={popoverItem}>
            <ArrowLeftRight aria-hidden="true" />
            See requests
          </Link>
          {maySimulate && (
            <Link
              href={`/projects/${projectId}/simulator?apiKeyId=${target.apiKeyId}`}
              className={popoverItem}
            >
              <FlaskConical aria-hidden="true" />
              Simulate a call
            </Link>
          )}
        </>
      }
    >
      {mayChange &&
        STEPS.filter(({ isOffered }) => isOffered(target)).map(({ step, label, icon }) => (
          <RowMenuButton
            key={step}
            icon={icon}
            isDangerous={step === 'revoke'}
            className={step === 'archive' ? 'mt-1 border-t pt-2' : ''}
            onChoose={(from) => open({ step, target }, from)}
          >
            {label}
          </RowMenuButton>
        ))}
    </RowMenu>
  );
}
