'use client';

import { CircleCheck, X } from 'lucide-react';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';

export interface ToastMessage {
  title: string;
  description?: string;
  /** A button, such as Undo. */
  action?: (dismiss: () => void) => ReactNode;
}

type ShownToast = ToastMessage & { id: number };

const STAYS_MS = 6_000;
/** Long enough to decide, and to reach the button by keyboard. */
const WITH_ACTION_STAYS_MS = 20_000;
const TOASTS_MAX = 3;

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/**
 * Confirms an action briefly, behind a dialog that is open. A message that needs a reaction belongs on
 * the page (`Notice`).
 */
export const useToast = () => useContext(ToastContext);

/** Radix's toast would add 11 kB to every page. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const [held, setHeld] = useState(false);
  const lastId = useRef(0);
  const show = useCallback((message: ToastMessage) => {
    lastId.current += 1;
    const toast = { ...message, id: lastId.current };
    setToasts((shown) => [...shown.slice(1 - TOASTS_MAX), toast]);
  }, []);
  const remove = useCallback((id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id));
    // The pointer or the focus went with it.
    setHeld(false);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <section
        aria-label="Notifications"
        aria-live="polite"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        className="fixed right-4 bottom-20 z-[60] grid w-88 max-w-[calc(100vw-2rem)] gap-2 md:bottom-4"
      >
        {toasts.map((toast) => (
          <Toast key={toast.id} toast={toast} held={held} onGone={remove} />
        ))}
      </section>
    </ToastContext>
  );
}

interface ToastProps {
  toast: ShownToast;
  /** The pointer or the focus is on a toast, so none disappears. */
  held: boolean;
  onGone: (id: number) => void;
}

/** Disappears after a while. */
function Toast({ toast: { id, title, description, action }, held, onGone }: ToastProps) {
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onGone(id), action ? WITH_ACTION_STAYS_MS : STAYS_MS);
    return () => clearTimeout(timer);
  }, [held, id, action, onGone]);

  return (
    <div className="flex animate-enter items-start gap-3 rounded border border-line-strong bg-surface p-4">
      <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-ink" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {description && <p className="text-muted">{description}</p>}
      </div>
      {action?.(() => onGone(id))}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => onGone(id)}
        className="inline-flex size-6 items-center justify-center rounded text-muted hover:text-ink"
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </div>
  );
}
