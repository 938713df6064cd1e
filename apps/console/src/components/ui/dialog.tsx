'use client';

import { X } from 'lucide-react';
import { AlertDialog as RadixAlert, Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '../../lib/cn.ts';

const overlay = 'fixed inset-0 z-40 animate-fade bg-scrim';
const panel =
  'fixed inset-x-0 bottom-0 z-50 max-h-[92dvh] overflow-y-auto rounded-t border bg-surface p-6 focus:outline-none sm:inset-x-auto sm:top-[12vh] sm:bottom-auto sm:left-1/2 sm:max-h-[80vh] sm:w-full sm:max-w-lg sm:-translate-x-1/2 sm:rounded motion-safe:animate-fade';

export interface DialogProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The button that opens it and gets the focus back. */
  trigger?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A modal dialog; on a phone it is at the bottom edge. */
export function Dialog({
  trigger,
  title,
  description,
  children,
  className,
  ...state
}: DialogProps) {
  return (
    <RadixDialog.Root {...state}>
      {trigger && <RadixDialog.Trigger asChild>{trigger}</RadixDialog.Trigger>}
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={overlay} />
        <RadixDialog.Content
          className={cn(panel, className)}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <RadixDialog.Title className="pr-8 text-title">{title}</RadixDialog.Title>
          {description && (
            <RadixDialog.Description asChild>
              <div className="mt-1 text-muted">{description}</div>
            </RadixDialog.Description>
          )}
          <div className="mt-6">{children}</div>
          <RadixDialog.Close
            aria-label="Close"
            className="absolute top-4 right-4 inline-flex size-8 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
          >
            <X aria-hidden="true" className="size-4" />
          </RadixDialog.Close>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Closes the dialog that it is in. */
export const DialogClose = RadixDialog.Close;

export interface AlertDialogProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  trigger?: ReactNode;
  /** The question: "Revoke Mobile app?" */
  title: ReactNode;
  /** What it does, and whether it can be undone. */
  description: ReactNode;
  /** The buttons, in a `DialogFooter`. */
  children: ReactNode;
}

/** Asks before an action. Only its buttons close it, and the safe one has the focus. */
export function AlertDialog({ trigger, title, description, children, ...state }: AlertDialogProps) {
  return (
    <RadixAlert.Root {...state}>
      {trigger && <RadixAlert.Trigger asChild>{trigger}</RadixAlert.Trigger>}
      <RadixAlert.Portal>
        <RadixAlert.Overlay className={overlay} />
        <RadixAlert.Content className={panel}>
          <RadixAlert.Title className="text-title">{title}</RadixAlert.Title>
          <RadixAlert.Description asChild>
            <div className="mt-2 text-muted">{description}</div>
          </RadixAlert.Description>
          <div className="mt-6">{children}</div>
        </RadixAlert.Content>
      </RadixAlert.Portal>
    </RadixAlert.Root>
  );
}

/** The safe button, which has the focus when the dialog opens. */
export const AlertDialogCancel = RadixAlert.Cancel;

/** The buttons of a dialog; the one that acts comes last. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <div className="mt-6 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>
  );
}
