const DEFAULT_PATH = '/projects';

/** A path of this site to return to; for anything else, such as another host, the projects page. */
export function returnPath(text: string | null | undefined): string {
  if (!text || !/^\/(?![/\\])/.test(text)) return DEFAULT_PATH;
  const url = URL.canParse(text, 'http://site.invalid')
    ? new URL(text, 'http://site.invalid')
    : null;
  if (url === null || url.host !== 'site.invalid') return DEFAULT_PATH;
  // Without its dot segments the path can start with two slashes, which name a host.
  return /^\/[/\\]/.test(url.pathname) ? DEFAULT_PATH : url.pathname + url.search;
}

/** The sign-in page, which leads back to the path. */
export function signInAddress(path: string | null): string {
  const back = returnPath(path);
  return back === DEFAULT_PATH ? '/sign-in' : `/sign-in?next=${encodeURIComponent(back)}`;
}
