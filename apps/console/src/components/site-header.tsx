import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Wordmark } from './mark.tsx';
import { ThemeToggle } from './theme.tsx';
import { ButtonLink } from './ui/button.tsx';
import { Link } from './ui/link.tsx';
import { TextLink } from './ui/text-link.tsx';

interface SiteHeaderProps {
  /** Undefined where it is unknown: the page of an error runs in the browser. */
  isSignedIn: boolean | undefined;
}

/** The header of the public pages. */
export function SiteHeader({ isSignedIn }: SiteHeaderProps) {
  return (
    <header className="mx-auto flex w-full max-w-(--site) items-center justify-between gap-4 px-4 py-4 sm:px-8">
      <Link href="/" aria-label="Ceiba, home" className="flex rounded">
        <Wordmark />
      </Link>
      <nav aria-label="Site" className="flex items-center gap-2">
        <ButtonLink variant="quiet" size="sm" href="/docs">
          Guides
        </ButtonLink>
        <ButtonLink variant="quiet" size="sm" className="max-sm:hidden" href="/status">
          Status
        </ButtonLink>
        {isSignedIn !== undefined && (
          <ButtonLink href={isSignedIn ? '/projects' : '/sign-in'} variant="quiet" size="sm">
            {isSignedIn ? 'Open the console' : 'Sign in'}
          </ButtonLink>
        )}
        <ThemeToggle className="max-sm:hidden" />
      </nav>
    </header>
  );
}

/** The part of a public page between header and footer, in line with them. */
export function SiteMain({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <main
      id="content"
      className={clsx('reading mx-auto w-full max-w-(--site) px-4 pb-16 sm:px-8', className)}
    >
      {children}
    </main>
  );
}

/** @param sourceUrl where the source of this build is; undefined where that is not known */
export function SiteFooter({ sourceUrl }: { sourceUrl: string | undefined }) {
  return (
    <footer className="mx-auto mt-auto flex w-full max-w-(--site) flex-wrap items-center justify-between gap-4 px-4 py-8 text-small text-muted sm:px-8">
      <p>
        {sourceUrl === undefined ? (
          'Open source'
        ) : (
          <TextLink href={sourceUrl} rel="noopener">
            Open source
          </TextLink>
        )}{' '}
        under Apache-2.0.
      </p>
      <div className="flex items-center gap-4">
        <TextLink href="/status" look="quiet">
          Status
        </TextLink>
        <ThemeToggle className="sm:hidden" />
      </div>
    </footer>
  );
}
