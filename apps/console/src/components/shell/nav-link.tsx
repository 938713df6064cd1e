'use client';

import type { LucideIcon } from 'lucide-react';
import Link from 'next/link';

export interface NavLinkProps {
  href: string;
  name: string;
  icon: LucideIcon;
  current: boolean;
}

export function NavLink({ href, name, icon: Icon, current }: NavLinkProps) {
  return (
    <Link
      href={href}
      aria-current={current ? 'page' : undefined}
      className="flex h-8 items-center gap-3 rounded px-2 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-text"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      {name}
    </Link>
  );
}
