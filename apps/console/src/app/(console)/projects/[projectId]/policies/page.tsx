import { explainMatch, successorFinder } from '@ceiba/domain';
import { listPoliciesWithHits, type PolicyWithHits } from '@ceiba/schema';
import { FlaskConical, Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { ButtonLink } from '#components/ui/button.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Link } from '#components/ui/link.tsx';
import { Pagination } from '#components/ui/pagination.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { findsPolicy } from '#lib/find-policy.ts';
import { plural } from '#lib/format.ts';
import { type PageProps, pageWithin, parseListQuery, textOf, withQuery } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { NextStep } from '../_components/next-step.tsx';
import { deniedRoutes } from '../_components/read-recorded.ts';
import { PolicyDeletion } from './_components/delete-policy.tsx';
import {
  hitsOf,
  type PlacedPolicy,
  POLICY_SORTS,
  PolicyList,
  type PolicySort,
} from './_components/policy-list.tsx';
import { RoutesForm } from './_components/routes-form.tsx';
import { TryCall } from './_components/try-call.tsx';
import { TryResult } from './_components/try-result.tsx';

export const metadata: Metadata = { title: 'Policies' };

const PAGE_SIZE = 50;
/** A shorter list is read faster than filtered. */
const LONG_LIST = 20;

const nextStep = 'inline-flex items-center gap-2 font-medium text-accent-text hover:underline';

export default async function PoliciesPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const mayChange = may('change_policies');
  const { projectId } = project;
  const query = await searchParams;
  const { q } = parseListQuery(query);
  const sort = POLICY_SORTS.find((one) => one === textOf(query, 'sort')) ?? 'match';
  const policies = await withDatabase((db) =>
    listPoliciesWithHits(db, { projectId, now: new Date() }),
  );
  const listed = listedPolicies(policies, { q, sort });
  const call = { method: textOf(query, 'method', 'GET'), path: textOf(query, 'path').trim() };
  const explained =
    call.method === '' || call.path === '' ? null : explainMatch(policies, call.method, call.path);
  const here = `/projects/${projectId}/policies`;
  const page = textOf(query, 'page')
    ? pageWithin(parseListQuery(query).page, { total: listed.length, pageSize: PAGE_SIZE })
    : pageOf(listed, explained?.winner?.policyId);
  const successorsOf = successorFinder(policies);
  const shown = listed
    .slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
    .map((policy) => ({ ...policy, successors: successorsOf(policy) }));
  return (
    <Column>
      <PageHeader
        title="Policies"
        guide="policy"
        description="A call is allowed if a policy matches it. Calls that no policy matches are denied."
        actions={
          mayChange &&
          policies.length > 0 && (
            <ButtonLink variant="primary" href={`${here}/new`} data-shortcut="new">
              <Plus aria-hidden="true" />
              Add policy
            </ButtonLink>
          )
        }
      />
      <NextStep project={project} may={may} here="policy" />
      <PolicyDeletion shared={{}}>
        {policies.length === 0 ? (
          <EmptyState
            title="No policies yet, so every call is denied"
            action={
              mayChange && (
                <ButtonLink href={`${here}/new`} data-shortcut="new">
                  Write one policy
                </ButtonLink>
              )
            }
            snippet={mayChange && <RoutesForm suggested={await deniedRoutes(projectId)} />}
          >
            A policy allows a method on a path, such as <code>GET /v1/reports*</code>, for every
            active key. Start with what your API serves to everyone who has a key.
          </EmptyState>
        ) : (
          <>
            <div className="mb-6 grid gap-3">
              <TryCall method={call.method} path={textOf(query, 'path')} />
              <TryResult explained={explained} call={call}>
                <span className="flex flex-wrap gap-x-6 gap-y-2">
                  {mayChange && explained?.winner === null && explained.path !== null && (
                    <Link
                      href={`${here}/new?${new URLSearchParams({ method: call.method, pathPattern: explained.path })}`}
                      className={nextStep}
                    >
                      <Plus aria-hidden="true" className="size-4" />
                      Add a policy for it
                    </Link>
                  )}
                  {may('simulate') && (
                    <Link
                      href={`/projects/${projectId}/simulator?${new URLSearchParams(call)}`}
                      className={nextStep}
                    >
                      <FlaskConical aria-hidden="true" className="size-4" />
                      Simulate the decision
                    </Link>
                  )}
                </span>
              </TryResult>
            </div>
            {(policies.length > LONG_LIST || q !== '') && (
              <SearchInput label="Filter policies" hasShortcut={false} className="mb-4" />
            )}
            {listed.length === 0 ? (
              <p className="py-8 text-muted">No policy has “{q}” in its method or pattern.</p>
            ) : (
              <PolicyList
                projectId={projectId}
                mayChange={mayChange}
                policies={shown}
                sort={sort}
                hrefOfSort={(by) =>
                  withQuery(here, query, {
                    sort: by === 'match' ? undefined : by,
                    page: undefined,
                  })
                }
                matching={explained?.matching ?? null}
              />
            )}
            <p className="mt-3 text-small text-muted">
              {plural(policies.length, 'policy', 'policies')}, the most specific first: exact paths
              before prefixes, longer prefixes before shorter ones, a named method before any
              method.
            </p>
            <Pagination
              page={page}
              pageSize={PAGE_SIZE}
              total={listed.length}
              of="policies"
              hrefOf={(other) => withQuery(here, query, { page: String(other) })}
            />
          </>
        )}
      </PolicyDeletion>
    </Column>
  );
}

/** The policies with a text in their method or pattern, with their places in the whole list. */
function listedPolicies(
  policies: readonly PolicyWithHits[],
  { q, sort }: { q: string; sort: PolicySort },
): PlacedPolicy[] {
  const found = policies
    .map((policy, index) => ({ ...policy, place: index + 1 }))
    .filter((policy) => findsPolicy(q, policy));
  return sort === 'used' ? found.sort((one, other) => hitsOf(other) - hitsOf(one)) : found;
}

/** The page with the winner of a tried call, from 1; the first page without one. */
function pageOf(listed: readonly PlacedPolicy[], winner: string | undefined): number {
  const index = listed.findIndex(({ policyId }) => policyId === winner);
  return Math.floor(Math.max(0, index) / PAGE_SIZE) + 1;
}
