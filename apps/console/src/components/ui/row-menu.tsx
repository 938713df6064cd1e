'use client';

import { clsx } from 'clsx';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Popover, popoverItem } from './popover.tsx';

export interface RowMenuProps {
  label: string;
  /** They work without scripts. */
  links?: ReactNode;
  /** Actions, which need scripts. They are rendered when the menu opens: a list would have hundreds. */
  children: ReactNode;
}

/** The links and actions for one row of a list. */
export function RowMenu({ label, links, children }: RowMenuProps) {
  return (
    <Popover
      label={label}
      placement={{ side: 'below', align: 'end' }}
      triggerClassName="inline-flex size-8 items-center justify-center rounded text-muted transition-colors hover:bg-hover hover:text-ink"
      trigger={
        <>
          <Ellipsis aria-hidden="true" className="size-4" />
          <span className="sr-only">{label}</span>
        </>
      }
      after={children}
    >
      {links}
    </Popover>
  );
}

export interface RowMenuButtonProps {
  icon: LucideIcon;
  /** Whether it cannot be undone. */
  isDangerous?: boolean;
  className?: string;
  /** With the button of the menu, which gets the focus back. */
  onChoose: (from: HTMLElement | null) => void;
  children: ReactNode;
}

/** An action that opens a dialog. */
export function RowMenuButton({
  icon: Icon,
  isDangerous = false,
  className,
  onChoose,
  children,
}: RowMenuButtonProps) {
  return (
    <button
      type="button"
      onClick={(event) => {
        // A popover covers every dialog. Hiding it returns the focus to its button.
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
        onChoose(document.activeElement instanceof HTMLElement ? document.activeElement : null);
      }}
      className={clsx(
        popoverItem,
        isDangerous && 'text-deny-text [&_svg]:text-deny-text!',
        className,
      )}
    >
      <Icon aria-hidden="true" />
      {children}
    </button>
  );
}
