import type { ProjectRight } from '@ceiba/domain';
import type { Problem } from '@ceiba/schema';
import { NoteLink, NoteList, type NoteListProps } from '../ui/note-list.tsx';
import { lookOf } from './problem-looks.tsx';

export interface ProblemListProps {
  projectId: string;
  /** Worst first. */
  problems: readonly Problem[];
  may: (right: ProjectRight) => boolean;
  /** What is wrong with the item of the page, after that. */
  own?: NoteListProps['notes'];
}

/** What is wrong in a project, a line each, with the step that helps; nothing where nothing is. */
export function ProblemList({ projectId, problems, may, own = [] }: ProblemListProps) {
  const notes = problems.map((problem) => {
    const { step, ...note } = lookOf(projectId, problem);
    return {
      ...note,
      step: may(step.right) && <NoteLink href={step.href}>{step.label}</NoteLink>,
    };
  });
  return <NoteList notes={[...notes, ...own]} />;
}
