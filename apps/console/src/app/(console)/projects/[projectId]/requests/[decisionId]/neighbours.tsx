import { type Database, listDecisions, type Project } from '@ceiba/schema';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { ButtonLink } from '#components/ui/button.tsx';
import { type Query, withQuery } from '#lib/list-query.ts';
import { unlessTooSlow, withSlowDatabase } from '#server/database.ts';
import { parseRequestQuery } from '../_components/request-query.ts';
import { readFilter } from '../read-requests.ts';

export interface NeighboursProps {
  project: Project;
  decisionId: string;
  /** The filter of the list that the request was opened from. */
  query: Query;
}

/** Links to the requests beside one in its list; none if finding them takes too long. */
export async function Neighbours({ project, decisionId, query }: NeighboursProps) {
  const found = await withSlowDatabase((db) =>
    readNeighbours(db, { project, decisionId, query }),
  ).catch(unlessTooSlow);
  if (typeof found === 'string') return null;
  const hrefOf = (id: string) =>
    withQuery(`/projects/${project.projectId}/requests/${id}`, query, {});
  return (
    <>
      {found.newer && (
        <ButtonLink rel="prev" href={hrefOf(found.newer)}>
          <ChevronLeft aria-hidden="true" />
          Newer
        </ButtonLink>
      )}
      {found.older && (
        <ButtonLink rel="next" href={hrefOf(found.older)}>
          Older
          <ChevronRight aria-hidden="true" />
        </ButtonLink>
      )}
    </>
  );
}

async function readNeighbours(db: Database, { project, decisionId, query }: NeighboursProps) {
  const { projectId, keyPrefix } = project;
  const { asked, filter } = await readFilter(db, projectId, parseRequestQuery(query, keyPrefix));
  if (Object.keys(asked.errors).length > 0) return {};
  const oneBeside = async (side: 'before' | 'after') => {
    const cursor = `${side}.${decisionId}`;
    const { items } = await listDecisions(db, { projectId, filter, cursor, limit: 1 });
    return items[0]?.decisionId;
  };
  const [newer, older] = await Promise.all([oneBeside('before'), oneBeside('after')]);
  return { newer, older };
}
