import type { Policy, PolicyOverlap } from '@ceiba/domain';
import type { PolicyWithHits } from '@ceiba/schema';
import { clsx } from 'clsx';
import { Check, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { ButtonLink } from '#components/ui/button.tsx';
import { Chip, MethodChip } from '#components/ui/chip.tsx';
import { PathText } from '#components/ui/path-text.tsx';
import { SortLink } from '#components/ui/sort-link.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { formatCount, plural, policyText } from '#lib/format.ts';
import { Link } from '../../../../../../components/ui/link.tsx';
import { DeletePolicyButton } from './delete-policy.tsx';
import { warningOf } from './pattern-warning.ts';

/** A policy with its place in match order, from 1. */
export type PlacedPolicy = PolicyWithHits & { place: number };

export const hitsOf = ({ allowed, denied }: PolicyWithHits): number => allowed + denied;

export const POLICY_SORTS = ['match', 'used'] as const;
export type PolicySort = (typeof POLICY_SORTS)[number];

export interface PolicyListProps {
  projectId: string;
  /** Whether the user may edit and delete them. */
  mayChange: boolean;
  policies: readonly PlacedPolicy[];
  sort: PolicySort;
  hrefOfSort: (sort: PolicySort) => string;
  overlaps: readonly PolicyOverlap[];
  /** The policies that match the tried call, the winner first; null if no call is tried. */
  matching: readonly Policy[] | null;
}

/** Policies in match order or by use. The winner of a tried call is highlighted. */
export function PolicyList({
  policies,
  sort,
  hrefOfSort,
  overlaps,
  matching,
  projectId,
  mayChange,
}: PolicyListProps) {
  const by = (name: PolicySort, words: ReactNode) => (
    <SortLink href={hrefOfSort(name)} direction={sort === name ? DIRECTIONS[name] : undefined}>
      {words}
    </SortLink>
  );
  const ordered = (name: PolicySort) =>
    sort === name ? ({ 'aria-sort': DIRECTIONS[name] } as const) : {};
  return (
    <Table
      label={sort === 'used' ? 'Policies by use' : 'Policies in match order'}
      head={
        <>
          <HeadCell className="hidden w-12 sm:table-cell" numeric {...ordered('match')}>
            {by(
              'match',
              <abbr title="Place in match order" className="no-underline">
                #
              </abbr>,
            )}
          </HeadCell>
          <HeadCell className="w-24 max-sm:hidden">Method</HeadCell>
          <HeadCell>
            <span className="flex gap-4">
              Path pattern
              <Link
                href={hrefOfSort(sort === 'used' ? 'match' : 'used')}
                scroll={false}
                className="font-normal underline underline-offset-4 sm:hidden"
              >
                {sort === 'used' ? 'Sort by match' : 'Sort by use'}
              </Link>
            </span>
          </HeadCell>
          <HeadCell numeric className="hidden sm:table-cell" {...ordered('used')}>
            {by('used', 'Hits this month')}
          </HeadCell>
          {mayChange && <ActionsHeadCell className="w-24" />}
        </>
      }
    >
      {policies.map((policy) => (
        <PolicyRow
          key={policy.policyId}
          projectId={projectId}
          mayChange={mayChange}
          policy={policy}
          coveredBy={
            overlaps.find(({ covered }) => covered.policyId === policy.policyId)?.by ?? null
          }
          standing={standingOf(policy, matching)}
        />
      ))}
    </Table>
  );
}

const DIRECTIONS = {
  match: 'ascending',
  used: 'descending',
} as const satisfies Record<PolicySort, string>;

type Standing = 'untried' | 'wins' | 'matches' | 'does_not_match';

function standingOf(policy: Policy, matching: readonly Policy[] | null): Standing {
  if (matching === null) return 'untried';
  const at = matching.findIndex(({ policyId }) => policyId === policy.policyId);
  if (at === -1) return 'does_not_match';
  return at === 0 ? 'wins' : 'matches';
}

interface PolicyRowProps {
  projectId: string;
  mayChange: boolean;
  policy: PlacedPolicy;
  coveredBy: Policy | null;
  standing: Standing;
}

function PolicyRow({ projectId, mayChange, policy, coveredBy, standing }: PolicyRowProps) {
  const words = policyText(policy);
  const hits = hitsOf(policy);
  const warning = warningOf(policy.pathPattern);
  return (
    <Row
      data-standing={standing}
      className={clsx(
        standing === 'wins' && 'bg-allow-soft',
        standing === 'does_not_match' && 'text-muted',
      )}
    >
      <Cell numeric className="hidden text-muted sm:table-cell">
        {policy.place}
      </Cell>
      <Cell className="max-sm:hidden">
        <MethodChip method={policy.method} />
      </Cell>
      <Cell className="max-sm:py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="sm:hidden">
            <MethodChip method={policy.method} />
          </span>
          <code className="text-small">
            <PathText>{policy.pathPattern}</PathText>
          </code>
          {standing === 'wins' && (
            <Chip tone="allow" icon={Check}>
              Wins
            </Chip>
          )}
          {standing === 'matches' && <Chip>Also matches</Chip>}
        </div>
        {warning && <p className="text-small text-limit-text">{warning}</p>}
        {coveredBy && (
          <p className="text-small text-muted">
            Also covered by{' '}
            <code>
              <PathText>{policyText(coveredBy)}</PathText>
            </code>
          </p>
        )}
        <p className="numbers text-small text-muted sm:hidden">{plural(hits, 'hit')} this month</p>
      </Cell>
      <Cell numeric className="hidden sm:table-cell">
        {formatCount(hits)}
        {policy.denied > 0 && (
          <p className="text-small text-muted">{formatCount(policy.denied)} denied</p>
        )}
      </Cell>
      {mayChange && (
        <Cell>
          <div className="flex justify-end">
            <ButtonLink
              size="icon"
              variant="quiet"
              href={`/projects/${projectId}/policies/${policy.policyId}`}
              aria-label={`Edit ${words}`}
            >
              <Pencil aria-hidden="true" />
            </ButtonLink>
            <DeletePolicyButton
              target={{
                policyId: policy.policyId,
                words,
                coveredBy: coveredBy && policyText(coveredBy),
              }}
            />
          </div>
        </Cell>
      )}
    </Row>
  );
}
