import type { ReactNode } from 'react';
import { Wordmark } from '#components/mark.tsx';
import { NeedsScripts } from '#components/needs-scripts.tsx';
import { ThemeToggle } from '#components/theme.tsx';
import { Link } from '#components/ui/link.tsx';
import { TextLink } from '#components/ui/text-link.tsx';

export default function AccountLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col px-4">
      <main id="content" className="mx-auto w-full max-w-96 pt-16 pb-8 sm:pt-24">
        <Link href="/" aria-label="Ceiba, home" className="rounded">
          <Wordmark />
        </Link>
        <NeedsScripts />
        {children}
      </main>
      <footer className="mx-auto mt-auto flex w-full max-w-96 items-center justify-between py-8 text-small text-muted">
        <TextLink href="/status" look="quiet">
          Status
        </TextLink>
        <ThemeToggle />
      </footer>
    </div>
  );
}
