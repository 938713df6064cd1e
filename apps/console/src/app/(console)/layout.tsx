import { mayDo } from '@ceiba/domain';
import type { ReactNode } from 'react';
import { AppShell } from '#components/shell/app-shell.tsx';
import { FRAME_RIGHTS } from '#components/shell/sections.ts';
import { readProjectNames } from '#server/project.ts';
import { requireSession } from '#server/session.ts';
import { viewerZone } from '#server/time-zone.ts';
import { findElsewhere, findInProject } from './find/actions.ts';

const SEARCHES = { inProject: findInProject, elsewhere: findElsewhere };

/** The most projects in the switcher; the list of projects has all of them. */
const SWITCHER_PROJECTS_MAX = 100;

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { email, isAdministrator } = await requireSession();
  const { projects } = await readProjectNames(SWITCHER_PROJECTS_MAX);
  return (
    <AppShell
      user={{ email, isAdministrator }}
      projects={projects.map((project) => ({
        ...project,
        lacks: FRAME_RIGHTS.filter((right) => !mayDo(project.role, right)),
      }))}
      searches={SEARCHES}
      timeZone={await viewerZone()}
    >
      {children}
    </AppShell>
  );
}
