'use client';

import {
  Activity,
  Ellipsis,
  FolderTree,
  type LucideIcon,
  ScrollText,
  ShieldCheck,
  UserRound,
} from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cn } from '../../lib/cn.ts';
import { ThemeToggle } from '../theme.tsx';
import { Popover, popoverItem } from '../ui/popover.tsx';
import { LinkIcon } from './nav-link.tsx';
import { PROJECT_SECTIONS, placeOf, sectionHref } from './sections.ts';
import type { ShellProps } from './shell-props.ts';

interface Place {
  href: string;
  name: string;
  icon: LucideIcon;
  current: boolean;
}

/** On a phone: the most used pages in reach of a thumb, the others behind "More". */
export function BottomBar({ user }: ShellProps) {
  const pathname = usePathname();
  const place = placeOf(pathname);
  const inProject = (inBar: boolean): Place[] =>
    place === null
      ? []
      : PROJECT_SECTIONS.filter((section) => section.inBar === inBar).map((section) => ({
          href: sectionHref(place.projectId, section),
          name: section.name,
          icon: section.icon,
          current: section.path === place.path,
        }));
  const projects: Place = {
    href: '/projects',
    name: 'Projects',
    icon: FolderTree,
    current: place === null && pathname.startsWith('/projects'),
  };
  const account: Place = {
    href: '/account',
    name: 'Account',
    icon: UserRound,
    current: pathname.startsWith('/account'),
  };
  const audit: Place = {
    href: '/audit',
    name: 'Audit of all projects',
    icon: ScrollText,
    current: pathname.startsWith('/audit'),
  };
  const status: Place = { href: '/status', name: 'Status', icon: Activity, current: false };
  const administration: Place = {
    href: '/admin',
    name: 'Administration',
    icon: ShieldCheck,
    current: pathname.startsWith('/admin'),
  };
  const bar = place === null ? [projects, account] : inProject(true);
  const more =
    place === null ? [audit, status] : [...inProject(false), projects, account, audit, status];
  if (user.isAdministrator) more.push(administration);

  return (
    <nav
      aria-label="Sections"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {bar.map((item) => (
        <BarLink key={item.href} {...item} />
      ))}
      <Popover
        label="More pages"
        placement={{ side: 'above', align: 'end' }}
        className="w-56"
        triggerClassName={barItem}
        trigger={
          <>
            <Ellipsis aria-hidden="true" className="size-5" />
            More
          </>
        }
      >
        {more.map(({ href, name, icon: Icon, current }) => (
          <Link
            key={href}
            href={href}
            aria-current={current ? 'page' : undefined}
            className={cn(popoverItem, 'min-h-10')}
          >
            <Icon aria-hidden="true" />
            {name}
          </Link>
        ))}
        <div className="-mx-1 mt-1 flex items-center justify-between gap-2 border-t px-3 pt-2 pb-1">
          <span className="text-small text-muted">Theme</span>
          <ThemeToggle />
        </div>
      </Popover>
    </nav>
  );
}

const barItem =
  'flex h-16 flex-1 flex-col items-center justify-center gap-1 text-small text-muted focus-visible:-outline-offset-2 aria-[current=page]:font-medium aria-[current=page]:text-accent-text';

function BarLink({ href, name, icon, current }: Place) {
  return (
    <Link href={href} aria-current={current ? 'page' : undefined} className={barItem}>
      <LinkIcon icon={icon} className="size-5" />
      {name}
    </Link>
  );
}
