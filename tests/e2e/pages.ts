/** Every page, for the tests that hold for all of them. Add a page here. */
export interface PageCase {
  path: (projectId: string) => string;
  signedIn: boolean;
}

export const PAGES: Record<string, PageCase> = {
  landing: { path: () => '/', signedIn: false },
  status: { path: () => '/status', signedIn: false },
  'sign in': { path: () => '/sign-in', signedIn: false },
  'sign up': { path: () => '/sign-up', signedIn: false },
  'not found': { path: () => '/nowhere', signedIn: false },
  projects: { path: () => '/projects', signedIn: true },
  'create project': { path: () => '/projects/new', signedIn: true },
  account: { path: () => '/account', signedIn: true },
  overview: { path: (projectId) => `/projects/${projectId}`, signedIn: true },
  keys: { path: (projectId) => `/projects/${projectId}/keys`, signedIn: true },
  'create key': { path: (projectId) => `/projects/${projectId}/keys/new`, signedIn: true },
  policies: {
    path: (projectId) => `/projects/${projectId}/policies?method=GET&path=/v1/reports`,
    signedIn: true,
  },
  'add policy': {
    path: (projectId) => `/projects/${projectId}/policies/new?pathPattern=/v1/reports*&path=/v1`,
    signedIn: true,
  },
  simulator: {
    path: (projectId) => `/projects/${projectId}/simulator?method=GET&path=/v1/reports`,
    signedIn: true,
  },
  subscription: { path: (projectId) => `/projects/${projectId}/subscription`, signedIn: true },
  usage: { path: (projectId) => `/projects/${projectId}/usage`, signedIn: true },
  audit: { path: (projectId) => `/projects/${projectId}/audit`, signedIn: true },
  settings: { path: (projectId) => `/projects/${projectId}/settings`, signedIn: true },
  'audit of the account': { path: () => '/audit', signedIn: true },
};
