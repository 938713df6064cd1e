'use client';

// Code that the root layout loads is not loaded again by the layouts and error pages below it, which
// would otherwise each carry a copy of these.
import 'next/link';
import type { ReactNode } from 'react';
import './error-page.tsx';
import type { Theme } from '../lib/preferences.ts';
import { ThemeProvider } from './theme.tsx';
import { ClockProvider } from './ui/time.tsx';
import { ToastProvider } from './ui/toast.tsx';

export interface ProvidersProps {
  timeZone: string;
  now: number;
  theme: Theme;
  children: ReactNode;
}

/** The clock, the theme and the toasts of every page. */
export function Providers({ timeZone, now, theme, children }: ProvidersProps) {
  return (
    <ThemeProvider initial={theme}>
      <ClockProvider timeZone={timeZone} initialNow={now}>
        <ToastProvider>{children}</ToastProvider>
      </ClockProvider>
    </ThemeProvider>
  );
}
