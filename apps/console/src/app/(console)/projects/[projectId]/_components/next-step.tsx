import { ArrowRight } from 'lucide-react';
import { ButtonLink } from '#components/ui/button.tsx';
import {
  FIRST_PATH,
  PATH_STEPS,
  type PathReader,
  type PathStep,
  readFirstPath,
} from './first-path.ts';

/** Where each step is taken, below the address of the project. */
const PLACES: Record<PathStep, string> = {
  account: '',
  project: '',
  policy: '/policies',
  key: '/keys/new',
  call: '#first-call',
};

/**
 * The next step to the first allowed call, on a page that a step leads to. Nothing is shown where the
 * page itself is that step.
 */
export async function NextStep({ here, ...reader }: PathReader & { here: PathStep }) {
  const path = await readFirstPath(reader);
  if (path === null || path.open === null || path.open === here) return null;
  const place = `/projects/${reader.project.projectId}${PLACES[path.open]}`;
  return (
    <aside
      aria-label="Your first allowed call"
      className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded border border-accent-text/40 bg-accent-soft px-3 py-2 sm:p-4"
    >
      <p className="shrink-0">
        <span className="numbers text-muted">
          Step {PATH_STEPS.indexOf(path.open) + 1} of {PATH_STEPS.length}.
        </span>{' '}
        <span className="max-sm:hidden">Next: {FIRST_PATH[path.open].toLowerCase()}.</span>
      </p>
      <ButtonLink variant="primary" size="sm" href={place} className="max-w-full">
        <span className="truncate">{FIRST_PATH[path.open]}</span>
        <ArrowRight aria-hidden="true" />
      </ButtonLink>
    </aside>
  );
}
