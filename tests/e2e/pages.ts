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
};
