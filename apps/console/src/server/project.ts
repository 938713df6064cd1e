import 'server-only';
import { getOwnedProject, type Project } from '@ceiba/schema';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { z } from 'zod';
import { withDatabase } from './database.ts';
import { requireUser, type SignedInUser } from './session.ts';

/**
 * The project of a page and its owner, read once per request. Redirects to sign-in without a session.
 * Another owner's project is not found.
 */
export const requireProject = cache(
  async (projectId: string): Promise<{ user: SignedInUser; project: Project }> => {
    const user = await requireUser();
    if (!z.guid().safeParse(projectId).success) notFound();
    const project = await withDatabase((db) =>
      getOwnedProject(db, { ownerId: user.userId, projectId }),
    );
    if (project === null) notFound();
    return { user, project };
  },
);
