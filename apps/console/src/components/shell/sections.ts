import {
  ChartNoAxesColumn,
  CreditCard,
  FlaskConical,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Route,
  ScrollText,
  Settings,
} from 'lucide-react';

export interface Section {
  /** The last part of the address; empty for the overview. */
  path: string;
  name: string;
  icon: LucideIcon;
  /** Whether it has a place of its own in a phone's bottom bar. */
  inBar: boolean;
}

/** The pages of a project, in the order in which they are shown. Add a page here. */
export const PROJECT_SECTIONS: readonly Section[] = [
  { path: '', name: 'Overview', icon: LayoutDashboard, inBar: true },
  { path: 'keys', name: 'Keys', icon: KeyRound, inBar: true },
  { path: 'policies', name: 'Policies', icon: Route, inBar: true },
  { path: 'subscription', name: 'Subscription', icon: CreditCard, inBar: false },
  { path: 'usage', name: 'Usage', icon: ChartNoAxesColumn, inBar: true },
  { path: 'simulator', name: 'Simulator', icon: FlaskConical, inBar: false },
  { path: 'audit', name: 'Audit', icon: ScrollText, inBar: false },
  { path: 'settings', name: 'Settings', icon: Settings, inBar: false },
];

export const sectionHref = (projectId: string, section: Pick<Section, 'path'>): string =>
  `/projects/${projectId}${section.path === '' ? '' : `/${section.path}`}`;

const PROJECT_ADDRESS =
  /^\/projects\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\/([a-z-]+))?/i;

/** Which project and which of its pages an address shows; null outside a project. */
export function placeOf(pathname: string): { projectId: string; path: string } | null {
  const match = PROJECT_ADDRESS.exec(pathname);
  return match?.[1] === undefined ? null : { projectId: match[1], path: match[2] ?? '' };
}
