'use client';

import { Check, ChevronsUpDown, FolderTree, Plus } from 'lucide-react';
import Link from 'next/link';
import { sectionHref } from '../../lib/sections.ts';
import { DropdownItem, DropdownMenu, DropdownSeparator } from '../ui/dropdown-menu.tsx';
import type { ShellProject } from './app-shell.tsx';

export interface ProjectSwitcherProps {
  projects: readonly ShellProject[];
  projectId: string;
  /** The page that is shown: the other project opens on the same one. */
  path: string;
}

export function ProjectSwitcher({ projects, projectId, path }: ProjectSwitcherProps) {
  const shown = projects.find((project) => project.projectId === projectId);
  return (
    <DropdownMenu
      align="start"
      className="w-52"
      trigger={
        <button
          type="button"
          className="flex h-10 w-full items-center justify-between gap-2 rounded border bg-surface px-3 font-medium transition-colors hover:border-line-strong"
        >
          <span className="truncate">{shown?.name ?? 'Project'}</span>
          <span className="sr-only">, switch project</span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      {projects.map((project) => (
        <DropdownItem key={project.projectId} asChild>
          <Link href={sectionHref(project.projectId, { path })}>
            <span className="truncate">{project.name}</span>
            {project.projectId === projectId && <Check aria-label="shown" className="ml-auto" />}
          </Link>
        </DropdownItem>
      ))}
      <DropdownSeparator />
      <DropdownItem asChild>
        <Link href="/projects">
          <FolderTree aria-hidden="true" />
          All projects
        </Link>
      </DropdownItem>
      <DropdownItem asChild>
        <Link href="/projects/new">
          <Plus aria-hidden="true" />
          Create project
        </Link>
      </DropdownItem>
    </DropdownMenu>
  );
}
