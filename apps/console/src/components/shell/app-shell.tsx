import type { ReactNode } from 'react';
import { NeedsScripts } from '../needs-scripts.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { TimeZone } from '../ui/time.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { Commands } from './commands.tsx';
import type { ShellProps } from './sections.ts';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

export interface AppShellProps extends ShellProps {
  /** In which the pages show times. */
  timeZone: string;
  children: ReactNode;
}

/** The frame of the signed-in pages: a sidebar, or on a phone a bar at the bottom. */
export function AppShell({ timeZone, children, ...shell }: AppShellProps) {
  return (
    <TimeZone timeZone={timeZone}>
      <div className="md:grid md:grid-cols-[14rem_minmax(0,1fr)] print:block">
        <Sidebar {...shell} />
        <TopBar {...shell} />
        <main
          id="content"
          className="min-w-0 md:min-h-dvh px-4 pt-4 pb-28 sm:px-8 md:pt-6 md:pb-8 lg:px-10"
        >
          <NeedsScripts />
          {children}
          <p className="mt-6 text-small text-muted">
            Time zone:{' '}
            <TextLink href="/account#time-zone" look="quiet">
              {timeZone}
            </TextLink>
          </p>
        </main>
        <BottomBar {...shell} />
        <Commands {...shell} />
      </div>
    </TimeZone>
  );
}
