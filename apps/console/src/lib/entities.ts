import type { AuditAction } from '@ceiba/schema';
import {
  ArrowLeftRight,
  BellRing,
  BookOpen,
  ChartNoAxesColumn,
  Contact,
  CreditCard,
  FlaskConical,
  KeyRound,
  LayoutDashboard,
  Route,
  ScrollText,
  Settings,
  Tags,
  UsersRound,
} from 'lucide-react';
import type { Entity, Target, Viewer } from './entity.ts';

type KindOf<Action> = Action extends `${infer Kind}.${string}` ? Kind : never;

/** The kinds that the audit log is about: each must be described. */
export type AuditedKind = KindOf<AuditAction>;

const inProject =
  (path: string) =>
  ({ projectId, id }: Target) =>
    `/projects/${projectId}/${path}${id}`;

/** Every kind of item, in the order of the navigation. */
export const ENTITIES = {
  overview: {
    name: 'Overview',
    page: { path: '', icon: LayoutDashboard, inBar: true },
    guide: { href: '/docs/console#overview', name: 'What is counted' },
  },
  api_key: {
    name: 'Keys',
    page: {
      path: 'keys',
      group: 'Access',
      icon: KeyRound,
      inBar: true,
      creates: { path: 'keys/new', name: 'Create key', right: 'change_keys' },
    },
    guide: { href: '/docs/console#keys', name: 'How keys work' },
    found: { as: 'key', icon: KeyRound },
    opens: { word: 'key', href: inProject('keys/') },
  },
  customer: {
    name: 'Customers',
    page: {
      path: 'customers',
      group: 'Access',
      icon: Contact,
      creates: { path: 'customers/new', name: 'Create customer', right: 'change_customers' },
    },
    guide: { href: '/docs/console#customers', name: 'How customers work' },
    found: { as: 'customer', icon: Contact },
    opens: { word: 'customer', href: inProject('customers/') },
  },
  customer_plan: {
    name: 'Customer plans',
    page: { path: 'plans', group: 'Access', name: 'Plans', icon: Tags },
    guide: { href: '/docs/console#plans', name: 'How plans of customers work' },
    opens: { word: 'plan', href: ({ projectId }) => `/projects/${projectId}/plans` },
  },
  policy: {
    name: 'Policies',
    page: {
      path: 'policies',
      group: 'Access',
      icon: Route,
      inBar: true,
      creates: { path: 'policies/new', name: 'Create policy', right: 'change_policies' },
    },
    guide: { href: '/docs/console#policies', name: 'How policies match' },
    found: { as: 'policy', icon: Route },
    opens: {
      word: 'policy',
      href: (target, { may }) =>
        inProject(may('change_policies') ? 'policies/' : 'policies?q=')(target),
    },
  },
  usage: {
    name: 'Usage',
    page: { path: 'usage', group: 'Traffic', icon: ChartNoAxesColumn, inBar: true },
    guide: { href: '/docs/console#usage', name: 'How usage is counted' },
  },
  decision: {
    name: 'Requests',
    page: { path: 'requests', group: 'Traffic', icon: ArrowLeftRight },
    guide: { href: '/docs/console#requests', name: 'What is recorded' },
    found: { as: 'request', icon: ArrowLeftRight },
    opens: { word: 'request', href: inProject('requests/') },
  },
  guide: { name: 'Guides', found: { as: 'guide', icon: BookOpen } },
  simulation: {
    name: 'Simulator',
    page: { path: 'simulator', group: 'Traffic', icon: FlaskConical, right: 'simulate' },
    guide: { href: '/docs/console#simulator', name: 'What the simulator reads' },
  },
  alert_destination: {
    name: 'Alerts',
    page: { path: 'alerts', group: 'Traffic', icon: BellRing },
    guide: { href: '/docs/alerts', name: 'How alerts are sent and verified' },
    opens: { word: 'alerts', href: inProject('alerts/') },
  },
  alert_address: {
    name: 'Answers to alerts',
  },
  subscription: {
    name: 'Subscription',
    page: { path: 'subscription', group: 'Project', icon: CreditCard },
    guide: { href: '/docs/console#subscription', name: 'How limits work' },
    // Its ID is that of the project.
    opens: { word: 'subscription', href: ({ id }) => `/projects/${id}/subscription` },
  },
  member: {
    name: 'Members',
    page: { path: 'members', group: 'Project', icon: UsersRound },
    guide: { href: '/docs/console#members', name: 'What each role may do' },
    opens: { word: 'members', href: ({ projectId }) => `/projects/${projectId}/members` },
  },
  invitation: {
    name: 'Invitations',
    opens: { word: 'members', href: ({ projectId }) => `/projects/${projectId}/members` },
  },
  audit: {
    name: 'Audit',
    page: { path: 'audit', group: 'Project', icon: ScrollText },
    guide: { href: '/docs/console#audit', name: 'What is audited' },
  },
  project: {
    name: 'Project and secret',
    page: { path: 'settings', group: 'Project', name: 'Settings', icon: Settings },
    guide: { href: '/docs/console#settings', name: 'How to rotate the secret' },
    opens: { word: 'project', href: ({ id }) => `/projects/${id}` },
  },
  user: {
    name: 'Accounts',
    opens: { word: 'account', href: accountHref },
  },
  sign_in: {
    name: 'Sign-ins',
    opens: { word: 'account', href: accountHref },
  },
  plan: {
    name: 'Plans',
    guide: { href: '/docs/console#administration', name: 'What administrators do' },
    opens: {
      word: 'plan',
      href: (_, { isAdministrator }) => (isAdministrator ? '/admin' : null),
    },
  },
  retention: { name: 'Retention' },
  second_factor: { name: 'Second factor' },
  setup_token: {
    name: 'Setup token',
  },
} as const satisfies Readonly<Record<AuditedKind, Entity> & Record<string, Entity>>;

export type Kind = keyof typeof ENTITIES;

/** Every kind with its descriptor. */
export const KINDS: readonly { kind: string; entity: Entity }[] = Object.entries(ENTITIES).map(
  ([kind, entity]) => ({ kind, entity }),
);

const BY_KIND = new Map(KINDS.map(({ kind, entity }) => [kind, entity]));

/** Undefined for an unknown kind, from a newer version. */
export const entityOf = (kind: string): Entity | undefined => BY_KIND.get(kind);

/** The page of the viewer, or the row in the list of an administrator. */
function accountHref({ id, label }: Target, { userId, isAdministrator }: Viewer): string | null {
  if (id === userId) return '/account';
  return isAdministrator ? `/admin?${new URLSearchParams({ tab: 'users', q: label ?? '' })}` : null;
}

/** The kinds whose descriptor has a part. */
export type Having<Part> = {
  [K in Kind]: (typeof ENTITIES)[K] extends Part ? K : never;
}[Kind];

/** The kinds that a search in projects finds, each with a finder in `find/find.ts`. */
export type SearchedKind = Having<{ found: object; opens: object }>;

/** What a kind is called in the answers of a search. */
export type FoundKind = (typeof ENTITIES)[Having<{ found: object }>]['found']['as'];
