import type { ProjectRight } from '@ceiba/domain';
import type { AuditAction } from '@ceiba/schema';
import {
  ArrowLeftRight,
  BellRing,
  BookOpen,
  ChartNoAxesColumn,
  CreditCard,
  FlaskConical,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Route,
  ScrollText,
  Settings,
  UsersRound,
} from 'lucide-react';

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
  audit?: {
    /** What the changes belong to, and so whose log has them. */
    of: 'project' | 'account' | 'installation';
    /** The middle part of the sentence of each action: actor, verb, target. */
    verbs: Readonly<Record<string, string>>;
  };
}

export interface ProjectPage {
  /** The last part of the address; empty for the overview. */
  path: string;
  /** Where it differs from the name of the entity. */
  name?: string;
  icon: LucideIcon;
  /** Whether it is in a phone's bottom bar, not under "More". */
  inBar?: true;
  /** What it requires; `view` unless given. */
  right?: ProjectRight;
  /** The page below it that creates one. */
  creates?: { path: string; name: string; right: ProjectRight };
}

type KindOf<Action> = Action extends `${infer Kind}.${string}` ? Kind : never;
type VerbOf<Action, Kind extends string> = Action extends `${Kind}.${infer Verb}` ? Verb : never;
type Audited<Kind extends string> = Entity & {
  audit: { verbs: Record<VerbOf<AuditAction, Kind>, string> };
};

/** Every kind of item that is audited must be described, with a verb for each of its actions. */
export type Entities = { [Kind in KindOf<AuditAction>]: Audited<Kind> } & Record<string, Entity>;

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
      icon: KeyRound,
      inBar: true,
      creates: { path: 'keys/new', name: 'Create key', right: 'change_keys' },
    },
    guide: { href: '/docs/console#keys', name: 'How keys work' },
    found: { as: 'key', icon: KeyRound },
    opens: { word: 'key', href: inProject('keys/') },
    audit: {
      of: 'project',
      verbs: {
        create: 'created key',
        set_expiry: 'set the expiry of key',
        set_limits: 'set the limits of key',
        update: 'changed key',
        disable: 'disabled key',
        enable: 'enabled key',
        revoke: 'revoked key',
        archive: 'archived key',
      },
    },
  },
  policy: {
    name: 'Policies',
    page: {
      path: 'policies',
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
    audit: {
      of: 'project',
      verbs: { create: 'added policy', update: 'changed policy', delete: 'deleted policy' },
    },
  },
  subscription: {
    name: 'Subscription',
    page: { path: 'subscription', icon: CreditCard },
    guide: { href: '/docs/console#subscription', name: 'How limits work' },
    // Its ID is that of the project.
    opens: { word: 'subscription', href: ({ id }) => `/projects/${id}/subscription` },
    audit: { of: 'project', verbs: { set: 'changed the subscription of' } },
  },
  usage: {
    name: 'Usage',
    page: { path: 'usage', icon: ChartNoAxesColumn, inBar: true },
    guide: { href: '/docs/console#usage', name: 'How usage is counted' },
  },
  decision: {
    name: 'Requests',
    page: { path: 'requests', icon: ArrowLeftRight },
    guide: { href: '/docs/console#requests', name: 'What is recorded' },
    found: { as: 'request', icon: ArrowLeftRight },
    opens: { word: 'request', href: inProject('requests/') },
  },
  guide: { name: 'Guides', found: { as: 'guide', icon: BookOpen } },
  simulation: {
    name: 'Simulator',
    page: { path: 'simulator', icon: FlaskConical, right: 'simulate' },
    guide: { href: '/docs/console#simulator', name: 'What the simulator reads' },
  },
  alert_destination: {
    name: 'Alerts',
    page: { path: 'alerts', icon: BellRing },
    guide: { href: '/docs/alerts', name: 'How alerts are sent and verified' },
    opens: { word: 'alerts', href: inProject('alerts/') },
    audit: {
      of: 'project',
      verbs: {
        create: 'added alerts to',
        update: 'changed alerts to',
        rotate_secret: 'rotated the signing secret of',
        enable: 'enabled alerts to',
        disable: 'disabled alerts to',
        delete: 'deleted alerts to',
        test: 'sent a test to',
        send_again: 'sent an alert again to',
        ask: 'asked for the confirmation of',
      },
    },
  },
  alert_address: {
    name: 'Answers to alerts',
    audit: {
      of: 'project',
      verbs: {
        confirm: 'recorded that alerts are wanted by',
        unsubscribe: 'recorded that no alerts are wanted by',
      },
    },
  },
  member: {
    name: 'Members',
    page: { path: 'members', icon: UsersRound },
    guide: { href: '/docs/console#members', name: 'What each role may do' },
    opens: { word: 'members', href: ({ projectId }) => `/projects/${projectId}/members` },
    audit: {
      of: 'project',
      verbs: {
        set_role: 'changed the role of',
        remove: 'removed member',
        leave: 'ended the membership of',
      },
    },
  },
  invitation: {
    name: 'Invitations',
    opens: { word: 'members', href: ({ projectId }) => `/projects/${projectId}/members` },
    audit: {
      of: 'project',
      verbs: {
        create: 'invited',
        revoke: 'revoked the invitation for',
        accept: 'accepted the invitation for',
      },
    },
  },
  audit: {
    name: 'Audit',
    page: { path: 'audit', icon: ScrollText },
    guide: { href: '/docs/console#audit', name: 'What is audited' },
  },
  project: {
    name: 'Project and secret',
    page: { path: 'settings', name: 'Settings', icon: Settings },
    guide: { href: '/docs/console#settings', name: 'How to rotate the secret' },
    opens: { word: 'project', href: ({ id }) => `/projects/${id}` },
    audit: {
      of: 'project',
      verbs: {
        create: 'created project',
        update: 'changed project',
        delete: 'deleted project',
        rotate_secret: 'rotated the secret of',
        end_previous_secret: 'ended the previous secret of',
        transfer: 'transferred project',
      },
    },
  },
  user: {
    name: 'Accounts',
    opens: { word: 'account', href: accountHref },
    audit: {
      of: 'account',
      verbs: {
        create: 'created account',
        set_password: 'set the password of',
        create_password_reset: 'created a link to reset the password of',
        add_second_factor: 'turned on the second factor of',
        remove_second_factor: 'removed the second factor of',
        replace_recovery_codes: 'created new recovery codes for',
        add_passkey: 'added a passkey to',
        rename_passkey: 'renamed a passkey of',
        remove_passkey: 'removed a passkey of',
        update: 'changed account',
        delete: 'deleted account',
        sign_out_everywhere: 'ended every session of',
        end_session: 'ended a session of',
      },
    },
  },
  plan: {
    name: 'Plans',
    guide: { href: '/docs/console#administration', name: 'What administrators do' },
    opens: {
      word: 'plan',
      href: (_, { isAdministrator }) => (isAdministrator ? '/admin' : null),
    },
    audit: {
      of: 'installation',
      verbs: { create: 'created plan', update: 'changed plan', delete: 'deleted plan' },
    },
  },
  retention: { name: 'Retention', audit: { of: 'installation', verbs: { set: 'set the' } } },
  setup_token: {
    name: 'Setup token',
    audit: { of: 'installation', verbs: { create: 'created the' } },
  },
} as const satisfies Entities;

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

type Having<Part> = {
  [K in Kind]: (typeof ENTITIES)[K] extends Part ? K : never;
}[Kind];

/** The kinds that a search in a project finds, each with a finder in `search/actions.ts`. */
export type SearchedKind = Having<{ found: object; opens: object }>;

/** What a kind is called in the answers of a search. */
export type FoundKind = (typeof ENTITIES)[Having<{ found: object }>]['found']['as'];

/** The parts of the guides that are about no entity. */
export const JOURNEYS = {
  firstAccount: {
    href: '/docs/operations#the-first-account',
    name: 'How to set up the first account',
  },
  firstCall: { href: '/docs/console#a-first-call', name: 'A first call, step by step' },
} as const;

export type GuideTopic = Having<{ guide: object }> | keyof typeof JOURNEYS;

export const guideOf = (topic: GuideTopic): { href: string; name: string } =>
  topic === 'firstAccount' || topic === 'firstCall' ? JOURNEYS[topic] : ENTITIES[topic].guide;
