import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { LoadingBar } from '#components/loading-bar.tsx';
import { Providers } from '#components/providers.tsx';
import { parseTheme, THEME_COOKIE } from '#lib/preferences.ts';
import { browserZone } from '#server/time-zone.ts';

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
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme}>
      <body>
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded bg-accent px-4 py-2 font-medium text-accent-ink focus:translate-y-0"
        >
          Skip to content
        </a>
        <Providers timeZone={await browserZone()} now={Date.now()} theme={theme}>
          <LoadingBar />
          {children}
        </Providers>
      </body>
    </html>
  );
}
