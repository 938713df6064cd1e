import { preferenceCookie } from './preferences.ts';

/** The projects whose secret was copied or downloaded in this browser. */
export const STORED_SECRETS_COOKIE = 'ceiba-stored-secrets';
/** The projects whose checklist was closed in this browser. */
export const CLOSED_CHECKLISTS_COOKIE = 'ceiba-closed-checklists';

const SEPARATOR = '.';
/** Older ones are forgotten, because cookies are sent with every request. */
const REMEMBERED_MAX = 20;

/** The IDs in the value of such a cookie, the newest first. */
export const projectsIn = (value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : value.split(SEPARATOR);

/** The value with one more project. */
export const withProject = (value: string | undefined, projectId: string): string =>
  [projectId, ...projectsIn(value).filter((other) => other !== projectId)]
    .slice(0, REMEMBERED_MAX)
    .join(SEPARATOR);

/** Adds a project to a cookie of this browser. */
export function rememberProject(cookie: string, projectId: string): void {
  const value = new RegExp(`(?:^|; )${cookie}=([^;]*)`).exec(document.cookie)?.[1];
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = preferenceCookie(cookie, withProject(value, projectId));
}
