import type { ReactNode } from 'react';
import { ButtonLink } from './ui/button.tsx';

export interface PageMessageProps {
  title: string;
  /** Announces the title to a screen reader. */
  isError?: boolean;
  /** What the user can do next; the primary button comes first. */
  actions: ReactNode;
  children: ReactNode;
}

/** Stands for a page that cannot be shown: what is wrong, and what to do next. */
export function PageMessage({ title, isError = false, actions, children }: PageMessageProps) {
  return (
    <div className="max-w-[45rem] py-8">
      <div role={isError ? 'alert' : undefined}>
        <h1 className="text-heading">{title}</h1>
      </div>
      <div className="mt-2 grid gap-2 text-muted">{children}</div>
      <div className="mt-6 flex flex-wrap items-center gap-2">{actions}</div>
    </div>
  );
}

/** Leads away from a page that this user does not have. */
export function ToProjects() {
  return (
    <ButtonLink variant="primary" href="/projects">
      Go to your projects
    </ButtonLink>
  );
}
