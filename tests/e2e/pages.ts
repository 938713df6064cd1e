/** The IDs in the paths. */
export interface Place {
  projectId: string;
  policyId: string;
  apiKeyId: string;
  customerId: string;
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
  landing: open('', '/'),
  status: open('status', '/status'),
  guides: open('docs', '/docs'),
  'guides searched': open('docs', '/docs?q=quota'),
  guide: open('docs/[slug]', '/docs/sdk'),
  'API reference': open('docs/[slug]', '/docs/reference'),
  'guide with tables': open('docs/[slug]', '/docs/operations'),
  'sign in': open('(account)/sign-in', '/sign-in'),
  'sign up': open('(account)/sign-up', '/sign-up'),
  'finish sign-up': open('(account)/sign-up/confirm', '/sign-up/confirm'),
  'confirm e-mail': open('(account)/confirm-email', '/confirm-email'),
  'forgot password': open('(account)/forgot-password', '/forgot-password'),
  'alert mail': open('(account)/alert-mail', '/alert-mail'),
  'reset password': open('(account)/reset-password', '/reset-password'),
  join: open('(account)/join', '/join'),
  'not found': open(null, '/nowhere'),
  find: signedIn('find', '/find?q=403'),
  projects: signedIn('projects'),
  'create project': signedIn('projects/new'),
  account: signedIn('account'),
  overview: inProject('', () => ''),
  keys: inProject('/keys'),
  key: inProject('/keys/[apiKeyId]', ({ apiKeyId }) => `/keys/${apiKeyId}`),
  'create key': inProject('/keys/new'),
  customers: inProject('/customers'),
  customer: inProject('/customers/[customerId]', ({ customerId }) => `/customers/${customerId}`),
  'create customer': inProject('/customers/new'),
  'plans of customers': inProject('/plans'),
  policies: inProject('/policies', () => '/policies?method=GET&path=/v1/reports'),
  'add policy': inProject('/policies/new', () => '/policies/new?pathPattern=/v1/reports*&path=/v1'),
  'edit policy': inProject('/policies/[policyId]', ({ policyId }) => `/policies/${policyId}`),
  requests: inProject('/requests'),
  request: inProject('/requests/[decisionId]', ({ decisionId }) => `/requests/${decisionId}`),
  'denials by path': inProject('/requests/groups'),
  simulator: inProject('/simulator', () => '/simulator?method=GET&path=/v1/reports'),
  subscription: inProject('/subscription'),
  usage: inProject('/usage'),
  alerts: inProject('/alerts'),
  destination: inProject('/alerts/[destinationId]', (place) => `/alerts/${place.destinationId}`),
  members: inProject('/members'),
  audit: inProject('/audit'),
  settings: inProject('/settings'),
  'audit of the account': signedIn('audit'),
  plans: signedIn('admin'),
  users: signedIn('admin', '/admin?tab=users'),
  'audit of the installation': signedIn('admin/audit'),
  retention: signedIn('admin', '/admin?tab=retention'),
};

function open(route: string | null, path: string): PageCase {
  return { route, path: () => path, signedIn: false };
}

function signedIn(route: string, path = `/${route}`): PageCase {
  return { route: `(console)/${route}`, path: () => path, signedIn: true };
}

/** @param address below that of the project */
function inProject(route: string, address: (place: Place) => string = () => route): PageCase {
  return {
    route: `${PROJECT}${route}`,
    path: (place) => `/projects/${place.projectId}${address(place)}`,
    signedIn: true,
  };
}
