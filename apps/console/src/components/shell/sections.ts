import { UUID_PATTERN } from '@ceiba/contract/sets';
import type { ProjectRight } from '@ceiba/domain';
import type { ProjectName } from '@ceiba/schema';
import {
  Activity,
  BookOpen,
  FolderTree,
  type LucideIcon,
  ScrollText,
  Search,
  ShieldCheck,
  UserRound,
} from 'lucide-react';
import { KINDS } from '../../lib/entities.ts';
import { PAGE_GROUPS, type PageGroup, type ProjectPage } from '../../lib/entity.ts';
import type { Searches } from './found.ts';

export interface ShellProps {
  searches: Searches;
  user: { email: string; isAdministrator: boolean };
  projects: readonly ShellProject[];
}

export interface ShellProject extends ProjectName {
  /** The rights that the user does not have in it. */
  lacks: readonly ProjectRight[];
}

export type Section = ProjectPage & { name: string };

/** The pages of a project, in the order of the navigation. */
const PROJECT_SECTIONS: readonly Section[] = KINDS.flatMap(({ entity: { name, page } }) =>
  page === undefined ? [] : [{ name, ...page }],
);

/** The pages that create something. */
export const CREATIONS = PROJECT_SECTIONS.flatMap(({ creates }) => creates ?? []);

/** The rights that decide what the frame offers. */
export const FRAME_RIGHTS = [...PROJECT_SECTIONS, ...CREATIONS].flatMap(({ right }) => right ?? []);

export const sectionHref = (projectId: string, section: Pick<Section, 'path'>): string =>
  `/projects/${projectId}${section.path === '' ? '' : `/${section.path}`}`;

const PROJECT_ADDRESS = new RegExp(`^/projects/(${UUID_PATTERN})(?:/([a-z-]+))?`, 'i');

/** The project and the page that a path shows; null outside a project. */
export function placeOf(pathname: string): { projectId: string; path: string } | null {
  const match = PROJECT_ADDRESS.exec(pathname);
  return match?.[1] === undefined ? null : { projectId: match[1], path: match[2] ?? '' };
}

export interface Place {
  href: string;
  name: string;
  icon: LucideIcon;
  current: boolean;
}

/** The pages outside projects. */
export function placesAt(pathname: string) {
  const place = (href: string, name: string, icon: LucideIcon): Place => ({
    href,
    name,
    icon,
    current: placeOf(pathname) === null && pathname.startsWith(href),
  });
  return {
    find: place('/find', 'Find', Search),
    projects: place('/projects', 'Projects', FolderTree),
    audit: place('/audit', 'Audit', ScrollText),
    administration: place('/admin', 'Administration', ShieldCheck),
    guides: place('/docs', 'Guides', BookOpen),
    status: place('/status', 'Status', Activity),
    account: place('/account', 'Account', UserRound),
  };
}

/**
 * Whether to offer something that needs a right. The list of projects is cut off: in a project that is
 * not in it everything is offered. Each page and action checks the right itself.
 */
export const isOffered = (
  { projectId }: { projectId: string },
  projects: ShellProps['projects'],
  right: ProjectRight,
): boolean =>
  projects.find((project) => project.projectId === projectId)?.lacks.includes(right) !== true;

/** Places by the group of their page; those before the first heading have none. */
export const inGroups = <Item extends { group?: PageGroup }>(places: readonly Item[]) =>
  [undefined, ...PAGE_GROUPS]
    .map((name) => ({ name, places: places.filter(({ group }) => group === name) }))
    .filter((group) => group.places.length > 0);

/** The pages of a project that the user may open, as places. */
export const placesOfProject = (
  place: { projectId: string; path: string },
  projects: ShellProps['projects'],
) =>
  PROJECT_SECTIONS.filter(({ right = 'view' }) => isOffered(place, projects, right)).map(
    (section) => ({
      ...section,
      href: sectionHref(place.projectId, section),
      current: section.path === place.path,
    }),
  );
