'use client';

import { clsx } from 'clsx';
import { Ellipsis } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { ThemeToggle } from '../theme.tsx';
import { Link } from '../ui/link.tsx';
import { Popover, popoverItem } from '../ui/popover.tsx';
import { LinkIcon, NavGroup } from './nav-link.tsx';
import {
  inGroups,
  type Place,
  placeOf,
  placesAt,
  placesOfProject,
  type ShellProps,
} from './sections.ts';

/** On a phone: the most used pages within reach of a thumb, the others under "More". */
export function BottomBar({ user, projects: all }: ShellProps) {
  const pathname = usePathname();
  const place = placeOf(pathname);
  const { find, projects, account, guides, status, administration, ...places } = placesAt(pathname);
  const audit = { ...places.audit, name: 'Audit of all projects' };
  const sections = (place === null ? [] : placesOfProject(place, all)).map((section) => ({
    ...section,
    className: 'flex no-project:hidden',
  }));
  const outside = [find, projects, account];
  const bar: Shown[] = [
    ...sections.filter(({ inBar }) => inBar),
    ...outside.map((one) => ({
      ...one,
      className: place === null ? 'flex' : 'hidden no-project:flex',
    })),
  ];
  const ofProject = sections.filter(({ inBar }) => !inBar);
  const elsewhere: Shown[] = [
    ...(place === null ? [] : outside),
    audit,
    guides,
    status,
    ...(user.isAdministrator ? [administration] : []),
  ];
  const isInMore = [...ofProject, ...elsewhere].some(({ current }) => current);
  const link = ({ href, name, icon: Icon, current, className }: Shown) => (
    <Link
      key={href}
      href={href}
      aria-current={current ? 'page' : undefined}
      className={clsx(popoverItem, 'min-h-10', className)}
    >
      <Icon aria-hidden="true" />
      {name}
    </Link>
  );

  return (
    <nav
      aria-label="Sections"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      {bar.map(({ href, name, icon, current, className }) => (
        <Link
          key={href}
          href={href}
          aria-current={current ? 'page' : undefined}
          className={clsx(barItem, className)}
        >
          <LinkIcon icon={icon} className="size-5" />
          {name}
        </Link>
      ))}
      <Popover
        label="More pages"
        placement={{ side: 'above', align: 'end' }}
        className="max-h-[calc(100dvh-5rem)]! w-56"
        triggerClassName={clsx(barItem, 'flex', isInMore && barItemCurrent)}
        trigger={
          <>
            <Ellipsis aria-hidden="true" className="size-5" />
            More
            {isInMore && <span className="sr-only">, has the current page</span>}
          </>
        }
      >
        {inGroups(ofProject).map(({ name, places }) => (
          <NavGroup key={name ?? ''} name={name} className="mb-2 no-project:hidden">
            {places.map(link)}
          </NavGroup>
        ))}
        <NavGroup name={ofProject.length > 0 ? 'Elsewhere' : undefined}>
          {elsewhere.map(link)}
        </NavGroup>
        <div className="-mx-1 mt-1 flex items-center justify-between gap-2 border-t px-3 pt-2 pb-1">
          <span className="text-small text-muted">Theme</span>
          <ThemeToggle />
        </div>
      </Popover>
    </nav>
  );
}

interface Shown extends Place {
  className?: string | undefined;
}

const barItem =
  'h-16 flex-1 flex-col items-center justify-center gap-1 border-t-2 border-transparent text-small text-muted focus-visible:-outline-offset-2 aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink';
const barItemCurrent = 'border-ink! font-semibold text-ink!';
