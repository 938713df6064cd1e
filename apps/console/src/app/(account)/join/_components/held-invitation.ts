/** In the tab's storage, so that it outlives signing in and up, also at another provider. */
const ITEM = 'ceiba-invitation';

/**
 * The invitation of the address's fragment, or the one that this tab holds. The fragment leaves the
 * address at once, so that it is not copied or shown with it.
 */
export function takeInvitation(): string | null {
  const fragment = window.location.hash.slice(1);
  if (fragment !== '') {
    window.sessionStorage.setItem(ITEM, fragment);
    window.history.replaceState(null, '', window.location.pathname);
  }
  return window.sessionStorage.getItem(ITEM);
}

export const dropInvitation = (): void => window.sessionStorage.removeItem(ITEM);
