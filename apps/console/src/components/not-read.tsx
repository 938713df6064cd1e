import type { ReactNode } from 'react';
import { Notice } from './ui/notice.tsx';

export interface NotReadProps {
  why: 'too_many' | 'too_slow';
  title?: string;
  /** What to do where it is too slow. */
  children: ReactNode;
}

/** Instead of what could not be read in time: of itself, or for the other calls of its user. */
export const NotRead = ({ why, title = 'This search takes too long', children }: NotReadProps) =>
  why === 'too_many' ? (
    <Notice tone="warning" title="Too many of your requests are under way">
      Your other pages took the time that this one has. Reload it once they are shown.
    </Notice>
  ) : (
    <Notice tone="warning" title={title}>
      {children}
    </Notice>
  );
