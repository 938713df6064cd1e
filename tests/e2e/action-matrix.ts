/**
 * Every server action of the console, by file and name, with a call that would succeed for the
 * right person. The isolation tests make that call as everybody else.
 */
export interface World {
  /** The owner's. */
  projectId: string;
  /** The owner's address and password. */
  email: string;
  password: string;
}

export interface ActionCase {
  /** Who may call it. */
  access: 'anybody' | 'signed-in' | 'administrator' | 'owner';
  /** The page that it is called from. */
  path: (world: World) => string;
  fields: (world: World) => Record<string, string>;
  /** Set where the action leaves the page when it succeeds, instead of answering. */
  redirects?: true;
}

let unique = 0;
const fresh = (word: string) => {
  unique += 1;
  return `${word} ${Date.now()} ${unique}`;
};

export const ACTIONS: Record<string, ActionCase> = {
  '(account)/sign-up/actions.ts createAccount': {
    access: 'anybody',
    path: () => '/sign-up',
    fields: () => ({
      email: `${fresh('matrix').replaceAll(' ', '-')}@example.com`,
      password: 'a passphrase of some length',
    }),
  },
  '(console)/account/actions.ts changePassword': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ password }) => ({ currentPassword: password, newPassword: password }),
    redirects: true,
  },
  '(console)/account/actions.ts endEverySession': {
    access: 'signed-in',
    path: () => '/account',
    fields: () => ({}),
    redirects: true,
  },
  '(console)/projects/new/actions.ts createNewProject': {
    access: 'signed-in',
    path: () => '/projects/new',
    fields: () => ({ name: fresh('Matrix') }),
  },
};
