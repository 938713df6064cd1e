'use client';

import { Slot } from '@radix-ui/react-slot';
import { X } from 'lucide-react';
import {
  createContext,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { Button, type ButtonProps, IconButton } from './button.tsx';

const CloseContext = createContext<() => void>(() => {});

/** What has the focus at first. The browser would choose what only scripts can focus, too. */
const FIRST_FOCUS = {
  dialog: 'a[href], button, input:not([type=hidden]), select, textarea',
  alertdialog: '[data-closes]',
} as const;

export interface ModalProps {
  /** A press beside an `alertdialog` does not close it. */
  role: keyof typeof FIRST_FOCUS;
  'aria-labelledby': string;
  'aria-describedby'?: string | undefined;
  className: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A modal dialog for as long as it is mounted, with the browser's `<dialog>`: the page behind it is
 * inert, Escape closes it, and closing returns the focus. While a form in it waits for its action it
 * stays open: a closed one would not show what was created. Radix's dialog would add 13 kB to a page.
 */
export function Modal({ role, className, onClose, children, ...names }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const wasPressedBeside = useRef(false);
  const isHeld = () => Boolean(dialog.current?.querySelector('form[data-pending]'));
  const close = () => {
    if (!isHeld()) onClose();
  };

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(FIRST_FOCUS[role])?.focus();
    // Before React removes it: the browser returns the focus when a dialog closes, not when it goes.
    return () => element?.close();
  }, [role]);

  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by `cancel`.
    <dialog
      ref={dialog}
      role={role}
      {...names}
      onCancel={(event) => {
        // React passes it on to a dialog around this one.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      // A browser may close it without asking by `cancel`.
      onClose={({ currentTarget }) => {
        if (currentTarget.open) return;
        if (isHeld()) currentTarget.showModal();
        else onClose();
      }}
      onPointerDown={(event) => {
        wasPressedBeside.current = event.target === event.currentTarget;
      }}
      // Only the release closes it: the page would get the rest of the press, and on a phone all of
      // it. Text that is selected beyond the edge does not close it.
      onClick={(event) => {
        const isBeside = wasPressedBeside.current && event.target === event.currentTarget;
        if (role === 'dialog' && isBeside) close();
      }}
      className={`fixed m-0 max-w-none animate-fade flex-col overflow-hidden border bg-surface text-ink outline-none open:flex backdrop:animate-fade backdrop:bg-scrim ${className}`}
    >
      <CloseContext value={close}>{children}</CloseContext>
    </dialog>,
    document.body,
  );
}

/** How a dialog opens: by its button, which gets the focus back, or by being mounted. */
export type DialogOpening =
  | { trigger: ReactNode; onOpen?: () => void; onClose?: never }
  | { onClose: () => void; trigger?: never; onOpen?: never };

export type DialogProps = DialogOpening & DialogContent;

export interface DialogContent {
  /** Of an `AlertDialog` the question: "Revoke Mobile app?" */
  title: ReactNode;
  /** Of an `AlertDialog` what it does, and whether it can be undone. */
  description?: ReactNode;
  children: ReactNode;
}

/** A modal dialog; on a phone it is at the bottom edge. */
export const Dialog = (props: DialogProps) => <Panel {...props} role="dialog" />;

/** Asks before an action. Its safe button is a `DialogClose`, which has the focus. */
export const AlertDialog = (props: DialogProps) => <Panel {...props} role="alertdialog" />;

function Panel({
  role,
  trigger,
  onOpen,
  onClose,
  title,
  description,
  children,
}: DialogProps & Pick<ModalProps, 'role'>) {
  const [isOpened, setOpened] = useState(false);
  const id = useId();
  const close = onClose ?? (() => setOpened(false));
  return (
    <>
      {trigger && (
        <Slot
          aria-haspopup="dialog"
          onClick={() => {
            setOpened(true);
            onOpen?.();
          }}
        >
          {trigger}
        </Slot>
      )}
      {(isOpened || onClose !== undefined) && (
        <Modal
          role={role}
          aria-labelledby={`${id}-title`}
          aria-describedby={description ? `${id}-description` : undefined}
          onClose={close}
          className="inset-x-0 top-auto bottom-0 max-h-[92dvh] w-full rounded-t sm:inset-x-auto sm:top-[12vh] sm:bottom-auto sm:left-1/2 sm:max-h-[80vh] sm:max-w-lg sm:-translate-x-1/2 sm:rounded"
        >
          {/* A field that gets the focus scrolls to above the footer. */}
          <div className="overflow-y-auto p-6 has-data-footer:pb-0 [&_:is(a,input,select,textarea)]:scroll-mb-32 sm:[&_:is(a,input,select,textarea)]:scroll-mb-20">
            <div className="mb-6">
              <h2 id={`${id}-title`} className="pr-8 text-title break-words">
                {title}
              </h2>
              {description && (
                <div id={`${id}-description`} className="mt-1 text-muted">
                  {description}
                </div>
              )}
            </div>
            {children}
            {role === 'dialog' && <CloseIcon />}
          </div>
        </Modal>
      )}
    </>
  );
}

/** Closes the dialog around the component. */
export const useCloseDialog = () => useContext(CloseContext);

const CloseIcon = () => (
  <IconButton
    icon={X}
    label="Close"
    onClick={useCloseDialog()}
    className="absolute top-4 right-4"
  />
);

/** Closes the dialog that it is in. */
export function DialogClose(props: Omit<ButtonProps, 'onClick'>) {
  return <Button {...props} data-closes="" onClick={useCloseDialog()} />;
}

/**
 * The buttons at the end of a dialog; the one that acts comes last. They stay in view for as long as
 * their parent is, so a form of a few lines takes no box: it is `contents`.
 */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <div
      data-footer=""
      className="sticky bottom-0 z-10 -mx-6 mt-6 flex flex-col-reverse gap-2 border-t bg-surface px-6 py-4 sm:flex-row sm:justify-end"
    >
      {children}
    </div>
  );
}
