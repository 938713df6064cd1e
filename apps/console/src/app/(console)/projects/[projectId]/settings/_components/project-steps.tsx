'use client';

import { dialogButton } from '#components/dialog-button.tsx';
import type { ProjectStep } from './project-dialog.tsx';

type StepOf<Step> = Extract<ProjectStep, { step: Step }>;

const load = () => import('./project-dialog.tsx');

/** Asks for the project's name, because only the new owner can undo it. */
export const TransferProject = dialogButton<StepOf<'transfer'>>('Transfer project…', load);

/** Asks for the project's name, because deleting cannot be undone. */
export const DeleteProject = dialogButton<StepOf<'delete'>>('Delete project…', load, 'danger');
