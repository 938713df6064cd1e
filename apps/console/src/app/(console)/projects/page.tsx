import { listProjectsAtAGlance } from '@ceiba/schema';
import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { ButtonLink } from '#components/ui/button.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Pagination } from '#components/ui/pagination.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { type PageProps, parseListQuery, withQuery } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireUser } from '#server/session.ts';
import { ProjectGlance } from './_components/project-glance.tsx';

export const metadata: Metadata = { title: 'Projects' };

const PAGE_SIZE = 20;

export default async function ProjectsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const query = await searchParams;
  const { q, page: asked } = parseListQuery(query);
  const { projects, offset, total } = await withDatabase((db) =>
    listProjectsAtAGlance(db, {
      userId: user.userId,
      nameContains: q,
      limit: PAGE_SIZE,
      offset: (asked - 1) * PAGE_SIZE,
    }),
  );
  const hasNone = total === 0 && q === '';
  return (
    <Column>
      <PageHeader
        title="Projects"
        guide="firstCall"
        description="One project per API. The charts show the decisions of the last 24 hours."
        actions={
          !hasNone && (
            <ButtonLink variant="primary" href="/projects/new" data-shortcut="new">
              <Plus aria-hidden="true" />
              Create project
            </ButtonLink>
          )
        }
      />
      {hasNone ? (
        <EmptyState
          title="No projects yet"
          action={
            <ButtonLink variant="primary" href="/projects/new" data-shortcut="new">
              Create your first project
            </ButtonLink>
          }
        >
          A project holds the keys, policies and plan of one API. Create one to get a project ID and
          a secret for your backend. Then add a policy, a key and five lines of code to check the
          first request.
        </EmptyState>
      ) : (
        <>
          <SearchInput label="Search projects" className="mb-4" />
          {projects.length === 0 ? (
            <p className="py-8 text-muted">No project name contains “{q}”.</p>
          ) : (
            <ul className="panel divide-y">
              {projects.map((project) => (
                <ProjectGlance key={project.projectId} project={project} />
              ))}
            </ul>
          )}
          <Pagination
            page={offset / PAGE_SIZE + 1}
            pageSize={PAGE_SIZE}
            total={total}
            of="projects"
            hrefOf={(other) => withQuery('/projects', query, { page: String(other) })}
          />
        </>
      )}
    </Column>
  );
}
