import { Notice } from './ui/notice.tsx';

/** Instead of what the other calls of its user left no time to read. */
export const TooManyCalls = () => (
  <Notice tone="warning" title="Too many of your requests are under way">
    Your other pages took the time that this one has. Reload it once they are shown.
  </Notice>
);
