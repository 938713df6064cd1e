/** The IDs in the paths. */
export interface Place {
  projectId: string;
  policyId: string;
  apiKeyId: string;
  decisionId: string;
  destinationId: string;
}

export interface PageCase {
  /** The folder of its `page.tsx` in `apps/console/src/app`; null if it has none. */
  route: string | null;
  path: (place: Place) => string;
  /** Requires a session. The user is an administrator, who sees every page. */
  signedIn: boolean;
}

const PROJECT = '(console)/projects/[projectId]';

/**
 * Every page, for the accessibility tests and the screenshots. `tests/static/pages.test.ts` fails if
 * one is missing.
 */
export const PAGES: Record<string, PageCase> = {
  landing: { route: '', path: () => '/', signedIn: false },
  status: { route: 'status', path: () => '/status', signedIn: false },
  guides: { route: 'docs', path: () => '/docs', signedIn: false },
  'guides searched': { route: 'docs', path: () => '/docs?q=quota', signedIn: false },
  guide: { route: 'docs/[slug]', path: () => '/docs/sdk', signedIn: false },
  'API reference': { route: 'docs/[slug]', path: () => '/docs/reference', signedIn: false },
  'guide with tables': {
    route: 'docs/[slug]',
    path: () => '/docs/operations',
    signedIn: false,
  },
  'sign in': { route: '(account)/sign-in', path: () => '/sign-in', signedIn: false },
  'sign up': { route: '(account)/sign-up', path: () => '/sign-up', signedIn: false },
  'finish sign-up': {
    route: '(account)/sign-up/confirm',
    path: () => '/sign-up/confirm',
    signedIn: false,
  },
  'confirm e-mail': {
    route: '(account)/confirm-email',
    path: () => '/confirm-email',
    signedIn: false,
  },
  'forgot password': {
    route: '(account)/forgot-password',
    path: () => '/forgot-password',
    signedIn: false,
  },
  'alert mail': {
    route: '(account)/alert-mail',
    path: () => '/alert-mail',
    signedIn: false,
  },
  'reset password': {
    route: '(account)/reset-password',
    path: () => '/reset-password',
    signedIn: false,
  },
  join: { route: '(account)/join', path: () => '/join', signedIn: false },
  'not found': { route: null, path: () => '/nowhere', signedIn: false },
  projects: { route: '(console)/projects', path: () => '/projects', signedIn: true },
  'create project': {
    route: '(console)/projects/new',
    path: () => '/projects/new',
    signedIn: true,
  },
  account: { route: '(console)/account', path: () => '/account', signedIn: true },
  overview: { route: PROJECT, path: ({ projectId }) => `/projects/${projectId}`, signedIn: true },
  keys: inProject('keys', 'keys'),
  key: {
    route: `${PROJECT}/keys/[apiKeyId]`,
    path: ({ projectId, apiKeyId }) => `/projects/${projectId}/keys/${apiKeyId}`,
    signedIn: true,
  },
  'create key': inProject('keys/new', 'keys/new'),
  policies: inProject('policies', 'policies?method=GET&path=/v1/reports'),
  'add policy': inProject('policies/new', 'policies/new?pathPattern=/v1/reports*&path=/v1'),
  'edit policy': {
    route: `${PROJECT}/policies/[policyId]`,
    path: ({ projectId, policyId }) => `/projects/${projectId}/policies/${policyId}`,
    signedIn: true,
  },
  requests: inProject('requests', 'requests'),
  request: {
    route: `${PROJECT}/requests/[decisionId]`,
    path: ({ projectId, decisionId }) => `/projects/${projectId}/requests/${decisionId}`,
    signedIn: true,
  },
  'denials by path': inProject('requests/groups', 'requests/groups'),
  simulator: inProject('simulator', 'simulator?method=GET&path=/v1/reports'),
  subscription: inProject('subscription', 'subscription'),
  usage: inProject('usage', 'usage'),
  alerts: inProject('alerts', 'alerts'),
  destination: {
    route: `${PROJECT}/alerts/[destinationId]`,
    path: ({ projectId, destinationId }) => `/projects/${projectId}/alerts/${destinationId}`,
    signedIn: true,
  },
  members: inProject('members', 'members'),
  audit: inProject('audit', 'audit'),
  settings: inProject('settings', 'settings'),
  'audit of the account': { route: '(console)/audit', path: () => '/audit', signedIn: true },
  plans: { route: '(console)/admin', path: () => '/admin', signedIn: true },
  users: { route: '(console)/admin', path: () => '/admin?tab=users', signedIn: true },
  'audit of the installation': {
    route: '(console)/admin/audit',
    path: () => '/admin/audit',
    signedIn: true,
  },
  retention: { route: '(console)/admin', path: () => '/admin?tab=retention', signedIn: true },
};

function inProject(route: string, address: string): PageCase {
  return {
    route: `${PROJECT}/${route}`,
    path: ({ projectId }) => `/projects/${projectId}/${address}`,
    signedIn: true,
  };
}
