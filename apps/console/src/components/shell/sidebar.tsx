'use client';

import { clsx } from 'clsx';
import { usePathname } from 'next/navigation';
import { Wordmark } from '../mark.tsx';
import { ThemeToggle } from '../theme.tsx';
import { Link } from '../ui/link.tsx';
import { NavGroup, NavLink } from './nav-link.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { inGroups, placeOf, placesAt, placesOfProject, type ShellProps } from './sections.ts';
import { openCommandPalette } from './shortcuts.ts';

export function Sidebar({ user, projects }: ShellProps) {
  const pathname = usePathname();
  const place = placeOf(pathname);
  const {
    find,
    projects: allProjects,
    audit,
    administration,
    guides,
    status,
    account,
  } = placesAt(pathname);
  return (
    <aside
      aria-label="Sidebar"
      className="sticky top-0 hidden h-dvh flex-col gap-3 overflow-y-auto border-r bg-sunken p-3 md:flex print:hidden"
    >
      <Link href="/projects" aria-label="Ceiba, projects" className="rounded px-2 pt-1">
        <Wordmark />
      </Link>
      <button
        type="button"
        onClick={openCommandPalette}
        className="flex h-8 shrink-0 items-center justify-between gap-2 rounded border border-control-line bg-control px-2 text-small text-muted transition-colors hover:border-line-strong hover:text-ink"
      >
        Go to…
        <kbd className="text-small">Ctrl K</kbd>
      </button>
      <nav
        aria-label="Console"
        className={clsx('gap-0.5', place === null ? 'grid' : 'hidden no-project:grid')}
      >
        <NavLink {...find} />
        <NavLink {...allProjects} />
        <NavLink {...audit} />
      </nav>
      {place !== null && (
        <div className="grid grid-cols-1 gap-2 no-project:hidden">
          <ProjectSwitcher projects={projects} projectId={place.projectId} path={place.path} />
          <nav aria-label="Project" className="grid gap-2">
            {inGroups(placesOfProject(place, projects)).map((group) => (
              <NavGroup key={group.name ?? ''} name={group.name}>
                {group.places.map(({ href, name, icon, current }) => (
                  <NavLink key={href} href={href} name={name} icon={icon} current={current} />
                ))}
              </NavGroup>
            ))}
          </nav>
        </div>
      )}
      <nav aria-label="Account" className="mt-auto grid">
        {user.isAdministrator && <NavLink {...administration} />}
        <NavLink {...guides} />
        <NavLink {...status} />
        <NavLink {...account} />
      </nav>
      <div className="flex items-center gap-2 border-t pt-2">
        <p className="min-w-0 grow truncate pl-2 text-small text-muted" title={user.email}>
          {user.email}
        </p>
        <ThemeToggle className="shrink-0" />
      </div>
    </aside>
  );
}
