import { UUID_PATTERN } from '@ceiba/contract/sets';
import type { ProjectRight } from '@ceiba/domain';
import type { ProjectName } from '@ceiba/schema';
import {
  Activity,
  ArrowLeftRight,
  BellRing,
  BookOpen,
  ChartNoAxesColumn,
  CreditCard,
  FlaskConical,
  FolderTree,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Route,
  ScrollText,
  Settings,
  ShieldCheck,
  UserRound,
  UsersRound,
} from 'lucide-react';
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

export interface Section {
  /** The last part of the address; empty for the overview. */
  path: string;
  name: string;
  icon: LucideIcon;
  /** Whether it is in a phone's bottom bar, not under "More". */
  inBar: boolean;
  /** What its page requires; `view` unless given. */
  right?: ProjectRight;
}

/** The pages of a project, in the order of the navigation. */
export const PROJECT_SECTIONS: readonly Section[] = [
  { path: '', name: 'Overview', icon: LayoutDashboard, inBar: true },
  { path: 'keys', name: 'Keys', icon: KeyRound, inBar: true },
  { path: 'policies', name: 'Policies', icon: Route, inBar: true },
  { path: 'subscription', name: 'Subscription', icon: CreditCard, inBar: false },
  { path: 'usage', name: 'Usage', icon: ChartNoAxesColumn, inBar: true },
  { path: 'requests', name: 'Requests', icon: ArrowLeftRight, inBar: false },
  { path: 'simulator', name: 'Simulator', icon: FlaskConical, inBar: false, right: 'simulate' },
  { path: 'alerts', name: 'Alerts', icon: BellRing, inBar: false },
  { path: 'members', name: 'Members', icon: UsersRound, inBar: false },
  { path: 'audit', name: 'Audit', icon: ScrollText, inBar: false },
  { path: 'settings', name: 'Settings', icon: Settings, inBar: false },
];

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
