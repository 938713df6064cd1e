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

/** What every page has: the viewer's clock, theme and toasts. */
export function Providers({ timeZone, now, nonce, theme, children }: ProvidersProps) {
  // Dialogs add a style element while they lock scrolling; it needs this document's nonce, which
  // stays the first one while the viewer moves between pages.
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
