'use client';

import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { cn } from '../../lib/cn.ts';

export interface ToastMessage {
  title: string;
  description?: string;
  tone?: 'done' | 'fault';
}

type ShownToast = ToastMessage & { id: number };

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Says in passing that something was done. What must be acted on belongs on the page. */
export const useToast = () => useContext(ToastContext);

let lastId = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const show = useCallback((message: ToastMessage) => {
    lastId += 1;
    const id = lastId;
    setToasts((shown) => [...shown.slice(-2), { ...message, id }]);
  }, []);
  return (
    <ToastContext value={show}>
      <Toast.Provider duration={6000} swipeDirection="right">
        {children}
        {toasts.map((toast) => (
          <ToastCard
            key={toast.id}
            toast={toast}
            onGone={() => setToasts((shown) => shown.filter(({ id }) => id !== toast.id))}
          />
        ))}
        <Toast.Viewport className="fixed right-4 bottom-20 z-50 grid w-88 max-w-[calc(100vw-2rem)] gap-2 md:bottom-4" />
      </Toast.Provider>
    </ToastContext>
  );
}

function ToastCard({ toast, onGone }: { toast: ShownToast; onGone: () => void }) {
  const isFault = toast.tone === 'fault';
  const Icon = isFault ? CircleAlert : CircleCheck;
  return (
    <Toast.Root
      onOpenChange={(open) => {
        if (!open) onGone();
      }}
      type={isFault ? 'foreground' : 'background'}
      className="flex animate-enter items-start gap-3 rounded border border-line-strong bg-surface p-4"
    >
      <Icon
        aria-hidden="true"
        className={cn('mt-0.5 size-5 shrink-0', isFault ? 'text-deny-text' : 'text-allow-text')}
      />
      <div className="min-w-0 flex-1">
        <Toast.Title className="font-medium">{toast.title}</Toast.Title>
        {toast.description && (
          <Toast.Description className="text-muted">{toast.description}</Toast.Description>
        )}
      </div>
      <Toast.Close
        aria-label="Dismiss"
        className="inline-flex size-6 items-center justify-center rounded text-muted hover:text-ink"
      >
        <X aria-hidden="true" className="size-4" />
      </Toast.Close>
    </Toast.Root>
  );
}
