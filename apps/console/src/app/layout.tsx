import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { LoadingBar } from '#components/loading-bar.tsx';
import { Providers } from '#components/providers.tsx';
import { parseTheme, THEME_COOKIE, TIME_ZONE_COOKIE } from '#lib/preferences.ts';
import { knownTimeZone } from '#lib/time.ts';

export const metadata: Metadata = {
  title: { default: 'Ceiba', template: '%s · Ceiba' },
  description: 'Access control in front of existing API routes, without a gateway.',
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfaf7' },
    { media: '(prefers-color-scheme: dark)', color: '#141411' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const preferences = await cookies();
  const theme = parseTheme(preferences.get(THEME_COOKIE)?.value);
  const timeZone = knownTimeZone(preferences.get(TIME_ZONE_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme}>
      <body>
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded bg-accent px-4 py-2 font-medium text-accent-ink focus:translate-y-0"
        >
          Skip to content
        </a>
        <Providers timeZone={timeZone} now={Date.now()} theme={theme}>
          <LoadingBar />
          {children}
        </Providers>
      </body>
    </html>
  );
}
