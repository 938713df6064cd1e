'use client';

import { Check, ChevronsUpDown, FolderTree, Plus } from 'lucide-react';
import { legible } from '../../lib/text.ts';
import { Link } from '../ui/link.tsx';
import { Name } from '../ui/name.tsx';
import { Popover, popoverItem } from '../ui/popover.tsx';
import { type ShellProps, sectionHref } from './sections.ts';

export interface ProjectSwitcherProps {
  projects: ShellProps['projects'];
  projectId: string;
  /** The current page; the other project opens on the same one. */
  path: string;
}

export function ProjectSwitcher({ projects, projectId, path }: ProjectSwitcherProps) {
  const shown = projects.find((project) => project.projectId === projectId);
  return (
    <Popover
      label="Switch project"
      placement={{ side: 'below', align: 'start' }}
      className="w-52"
      triggerClassName="flex h-9 w-full items-center justify-between gap-2 rounded border border-control-line bg-control px-2 text-left font-medium transition-colors hover:bg-control-hover"
      trigger={
        <>
          <span className="truncate" title={legible(shown?.name ?? 'Project')}>
            <Name>{shown?.name ?? 'Project'}</Name>
          </span>
          <span className="sr-only">, switch project</span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </>
      }
      // Each page would hold up to a hundred links, twice.
      before={projects.map((project) => (
        <Link
          key={project.projectId}
          href={sectionHref(project.projectId, { path })}
          className={popoverItem}
        >
          <span className="truncate" title={legible(project.name)}>
            <Name>{project.name}</Name>
          </span>
          {project.role !== 'owner' && (
            <span className="text-small text-muted">{project.role}</span>
          )}
          {project.projectId === projectId && <Check aria-label="shown" className="ml-auto" />}
        </Link>
      ))}
    >
      <hr className="-mx-1 my-1" />
      <Link href="/projects" className={popoverItem}>
        <FolderTree aria-hidden="true" />
        All projects
      </Link>
      <Link href="/projects/new" className={popoverItem}>
        <Plus aria-hidden="true" />
        Create project
      </Link>
    </Popover>
  );
}
