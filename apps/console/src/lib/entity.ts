import type { ProjectRight } from '@ceiba/domain';
import type { LucideIcon } from 'lucide-react';

/** Who follows a link. */
export interface Viewer {
  userId: string;
  isAdministrator: boolean;
  /** Whether their role in the project has a right. */
  may: (right: ProjectRight) => boolean;
}

/** One item: what a change was about, or what a search found. */
export interface Target {
  projectId: string | null;
  id: string;
  label: string | null;
}

/**
 * What the console knows of a kind of item. Navigation, command palette, search, links of the audit log
 * and links to the guides follow from it (ADR 0055).
 */
export interface Entity {
  /** Names a list of them: a page, a filter, what a search found. */
  name: string;
  /** Their page in a project. */
  page?: ProjectPage;
  /** The part of the guides that explains them; a test checks that it exists. */
  guide?: { href: string; name: string };
  /** The palette finds them; `as` names them in the answers of the search. */
  found?: { as: string; icon: LucideIcon };
  /** The page of one, or the list that it is in; null if the viewer has no page for it. */
  opens?: { word: string; href: (target: Target, viewer: Viewer) => string | null };
}

/** The groups of the pages of a project, in the order of the navigation. */
export const PAGE_GROUPS = ['Access', 'Traffic', 'Project'] as const;
export type PageGroup = (typeof PAGE_GROUPS)[number];

export interface ProjectPage {
  /** The last part of the address; empty for the overview. */
  path: string;
  /** Where it differs from the name of the entity. */
  name?: string;
  icon: LucideIcon;
  /** The heading above it in the navigation; the overview has none. */
  group?: PageGroup;
  /** Whether it is in a phone's bottom bar, not under "More". */
  inBar?: true;
  /** What it requires; `view` unless given. */
  right?: ProjectRight;
  /** The page below it that creates one. */
  creates?: { path: string; name: string; right: ProjectRight };
}
