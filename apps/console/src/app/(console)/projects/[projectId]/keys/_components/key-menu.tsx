'use client';

import {
  Archive,
  ArrowLeftRight,
  Ban,
  CalendarClock,
  Ellipsis,
  FlaskConical,
  Gauge,
} from 'lucide-react';
import Link from 'next/link';
import type { MouseEvent } from 'react';
import { Popover, popoverItem } from '#components/ui/popover.tsx';
import { cn } from '#lib/cn.ts';
import { requestsHref } from '#lib/requests-href.ts';
import { legible } from '#lib/text.ts';
import type { KeyStep, KeyTarget } from './key-dialog.tsx';
import { useKeyStep } from './key-dialogs.tsx';

const STEPS = [
  { step: 'expiry', label: 'Set expiry', icon: CalendarClock },
  { step: 'limits', label: 'Set limits', icon: Gauge },
  { step: 'archive', label: 'Archive key', icon: Archive },
  { step: 'revoke', label: 'Revoke key', icon: Ban },
] as const;

export interface KeyMenuProps {
  projectId: string;
  target: KeyTarget;
  /** Whether the key is active, and the user's role permits changes. */
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
        STEPS.map(({ step, label, icon: Icon }) => (
          <button
            key={step}
            type="button"
            onClick={(event) => open(step, event)}
            className={cn(
              popoverItem,
              step === 'archive' && 'mt-1 border-t pt-2',
              step === 'revoke' && 'text-deny-text [&_svg]:text-deny-text',
            )}
          >
            <Icon aria-hidden="true" />
            {label}
          </button>
        ))}
    </Popover>
  );
}
