'use client';

import { setNonce } from 'get-nonce';
import type { ReactNode } from 'react';
import type { Theme } from '../lib/preferences.ts';
import { ThemeProvider } from './theme.tsx';
import { ClockProvider } from './ui/time.tsx';
import { ToastProvider } from './ui/toast.tsx';

export interface ProvidersProps {
  timeZone: string;
  now: number;
  nonce: string | undefined;
  theme: Theme;
  children: ReactNode;
}

let nonceIsSet = false;

/** The clock, the theme and the toasts of every page. */
export function Providers({ timeZone, now, nonce, theme, children }: ProvidersProps) {
  // Dialogs add a style element to lock scrolling. It needs the nonce of the document, which is the
  // nonce of the first page.
  if (typeof window !== 'undefined' && !nonceIsSet && nonce !== undefined) {
    setNonce(nonce);
    nonceIsSet = true;
  }
  return (
    <ThemeProvider initial={theme}>
      <ClockProvider initialTimeZone={timeZone} initialNow={now}>
        <ToastProvider>{children}</ToastProvider>
      </ClockProvider>
    </ThemeProvider>
  );
}
