import { Notice } from './ui/notice.tsx';

/** Shown when scripts are off: most forms would silently do nothing. */
export function NeedsScripts() {
  return (
    <noscript>
      <Notice tone="warning" title="The console needs JavaScript" className="my-6">
        Without it most of its forms do nothing. Allow JavaScript for this site, then reload the
        page.
      </Notice>
    </noscript>
  );
}
