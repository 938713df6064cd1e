import type { Executor } from '../connection/database.ts';
import { exportPages, type Run } from '../page.ts';
import { type DecisionFilter, listDecisions } from './list.ts';

/** All matching decisions, newest first, as {@link exportPages}. */
export const exportDecisions = (
  run: Run<{ orm: Executor }>,
  input: { projectId: string; filter?: DecisionFilter },
) => exportPages(run, listDecisions, input);
