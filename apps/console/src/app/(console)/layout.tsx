import { listProjectNames } from '@ceiba/schema';
import type { ReactNode } from 'react';
import { AppShell } from '#components/shell/app-shell.tsx';
import { withDatabase } from '#server/database.ts';
import { requireUser } from '#server/session.ts';

/** As many as a switcher can show; the list of projects pages through the others. */
const SWITCHER_LIMIT = 100;

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { userId, email, isAdministrator } = await requireUser();
  const projects = await withDatabase((db) =>
    listProjectNames(db, { ownerId: userId, limit: SWITCHER_LIMIT }),
  );
  return (
    <AppShell user={{ email, isAdministrator }} projects={projects}>
      {children}
    </AppShell>
  );
}
