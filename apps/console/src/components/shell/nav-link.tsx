'use client';

import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { useLinkStatus } from 'next/link';
import { Link } from '../ui/link.tsx';
import type { Place } from './sections.ts';

export function NavLink({ href, name, icon, current }: Place) {
  return (
    <Link
      href={href}
      aria-current={current ? 'page' : undefined}
      className="flex h-7.5 items-center gap-2.5 rounded px-2 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-semibold aria-[current=page]:text-accent-text"
    >
      <LinkIcon icon={icon} className="size-4 shrink-0" />
      {name}
    </Link>
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
