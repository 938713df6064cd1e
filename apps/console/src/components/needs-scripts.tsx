import { Notice } from './ui/notice.tsx';

/** Shown if scripts are off, because most forms then do nothing. */
export function NeedsScripts() {
  return (
    <noscript>
      <Notice tone="warning" title="The console needs JavaScript" className="my-6">
        Most of its forms do not work without it. Allow JavaScript for this site, then reload the
        page.
      </Notice>
    </noscript>
  );
}
