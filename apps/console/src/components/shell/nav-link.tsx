'use client';

import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { useLinkStatus } from 'next/link';
import type { ReactNode } from 'react';
import { Link } from '../ui/link.tsx';
import type { Place } from './sections.ts';

export function NavLink({ href, name, icon, current }: Place) {
  return (
    <Link
      href={href}
      aria-current={current ? 'page' : undefined}
      className="flex h-7 items-center gap-2.5 rounded px-2 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-semibold aria-[current=page]:text-accent-text"
    >
      <LinkIcon icon={icon} className="size-4 shrink-0" />
      {name}
    </Link>
  );
}

export interface NavGroupProps {
  /** The heading; the first group has none. */
  name: string | undefined;
  className?: string;
  children: ReactNode;
}

/** Links to pages that belong together. */
export function NavGroup({ name, className, children }: NavGroupProps) {
  if (name === undefined) return <div className={className}>{children}</div>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={name} className={className}>
      <p aria-hidden="true" className="px-2 pb-0.5 text-small text-muted">
        {name}
      </p>
      {children}
    </div>
  );
}

/** The icon of a link; a spinner while its page loads. */
export function LinkIcon({ icon: Icon, className }: { icon: LucideIcon; className: string }) {
  const { pending } = useLinkStatus();
  return (
    <span className={`relative inline-flex ${className}`}>
      <Icon
        aria-hidden="true"
        className={`size-full transition-opacity delay-300 ${pending ? 'opacity-0' : ''}`}
      />
      {pending && (
        <LoaderCircle
          aria-hidden="true"
          className="absolute inset-0 size-full animate-spin starting:opacity-0 transition-opacity delay-300"
        />
      )}
    </span>
  );
}
