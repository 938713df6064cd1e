'use client';

import { clsx } from 'clsx';
import {
  Archive,
  ArrowLeftRight,
  Ban,
  CalendarClock,
  CirclePause,
  CirclePlay,
  Ellipsis,
  FlaskConical,
  Gauge,
  type LucideIcon,
  Pencil,
} from 'lucide-react';
import Link from 'next/link';
import type { MouseEvent } from 'react';
import { Popover, popoverItem } from '#components/ui/popover.tsx';
import { requestsHref } from '#lib/requests-href.ts';
import { legible } from '#lib/text.ts';
import type { KeyTarget } from '../key-state.ts';
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
  { step: 'expiry', label: 'Set expiry', icon: CalendarClock, isOffered: isActive },
  { step: 'limits', label: 'Set limits', icon: Gauge, isOffered: isActive },
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
  const openStep = useKeyStep();

  function open(step: KeyStep, event: MouseEvent<HTMLElement>) {
    // A popover covers every dialog. Hiding it returns the focus to its button.
    event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
    const { activeElement } = document;
    openStep(step, target, activeElement instanceof HTMLElement ? activeElement : null);
  }

  return (
    <Popover
      label={`Actions for ${legible(target.displayName)}`}
      placement={{ side: 'below', align: 'end' }}
      triggerClassName="inline-flex size-8 items-center justify-center rounded text-muted transition-colors hover:bg-hover hover:text-ink"
      trigger={
        <>
          <Ellipsis aria-hidden="true" className="size-4" />
          <span className="sr-only">Actions for {legible(target.displayName)}</span>
        </>
      }
    >
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
      {mayChange &&
        STEPS.filter(({ isOffered }) => isOffered(target)).map(({ step, label, icon: Icon }) => (
          <button
            key={step}
            type="button"
            onClick={(event) => open(step, event)}
            className={clsx(
              popoverItem,
              step === 'archive' && 'mt-1 border-t pt-2',
              step === 'revoke' && 'text-deny-text [&_svg]:text-deny-text!',
            )}
          >
            <Icon aria-hidden="true" />
            {label}
          </button>
        ))}
    </Popover>
  );
}
