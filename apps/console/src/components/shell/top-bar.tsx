'use client';

import { Search } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { Mark, Wordmark } from '../mark.tsx';
import { IconButton } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { placeOf, type ShellProps } from './sections.ts';
import { openCommandPalette } from './shortcuts.ts';

/** On a phone: the current project and the search, above the page. */
export function TopBar({ projects }: ShellProps) {
  const place = placeOf(usePathname());
  return (
    <header className="flex h-14 items-center gap-3 border-b px-4 md:hidden print:hidden">
      <Link href="/projects" aria-label="Ceiba, projects" className="rounded">
        {place === null ? <Wordmark /> : <Mark />}
      </Link>
      {place !== null && (
        <div className="min-w-0 flex-1 no-project:hidden">
          <ProjectSwitcher projects={projects} projectId={place.projectId} path={place.path} />
        </div>
      )}
      <IconButton
        icon={Search}
        label="Go to…"
        onClick={openCommandPalette}
        className="ml-auto size-10 [&_svg]:size-5"
      />
    </header>
  );
}
