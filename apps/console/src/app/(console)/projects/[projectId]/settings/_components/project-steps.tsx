'use client';

import type { Project, ProjectMember } from '@ceiba/schema';
import dynamic from 'next/dynamic';
import { OpensDialog } from '#components/opens-dialog.tsx';

type Named = Pick<Project, 'name'>;

export interface TransferProjectProps extends Named {
  /** The members, of which one becomes the owner. */
  members: readonly Pick<ProjectMember, 'userId' | 'email'>[];
}

/** Asks for the project's name, because only the new owner can undo it. */
export const TransferProject = ({ name, members }: TransferProjectProps) => (
  <OpensDialog label="Transfer project…">
    {(close) => <ProjectDialog step="transfer" name={name} members={members} onClose={close} />}
  </OpensDialog>
);

/** Asks for the project's name, because deleting cannot be undone. */
export const DeleteProject = ({ name }: Named) => (
  <OpensDialog label="Delete project…" variant="danger">
    {(close) => <ProjectDialog step="delete" name={name} onClose={close} />}
  </OpensDialog>
);

const ProjectDialog = dynamic(() => import('./project-dialog.tsx'));
