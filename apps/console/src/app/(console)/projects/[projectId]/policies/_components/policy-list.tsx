import type { Policy, Successors } from '@ceiba/domain';
import type { PolicyWithHits } from '@ceiba/schema';
import { Check, Coins, Pencil } from 'lucide-react';
import { ButtonLink } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { LabelChips } from '#components/ui/label-chips.tsx';
import { Link } from '#components/ui/link.tsx';
import { PathCode } from '#components/ui/path-text.tsx';
import { MethodChip } from '#components/ui/state-chips.tsx';
import { actionsColumn, Table } from '#components/ui/table.tsx';
import { formatCount, plural, policyText } from '#lib/format.ts';
import { afterDeletion } from './after-deletion.ts';
import { DeletePolicyButton } from './delete-policy.tsx';
import { warningOf } from './pattern-warning.ts';

/** A policy with its place in match order, from 1. */
export type PlacedPolicy = PolicyWithHits & { place: number };

/** A policy that is shown. */
export interface ListedPolicy extends PlacedPolicy {
  /** Which policies decide its calls if it is deleted. */
  successors: Successors<PolicyWithHits>;
}

export const hitsOf = ({ allowed, denied }: PolicyWithHits): number => allowed + denied;

export const POLICY_SORTS = ['match', 'used'] as const;
export type PolicySort = (typeof POLICY_SORTS)[number];

export interface PolicyListProps {
  projectId: string;
  /** Whether the user may edit and delete them. */
  mayChange: boolean;
  policies: readonly ListedPolicy[];
  sort: PolicySort;
  hrefOfSort: (sort: PolicySort) => string;
  /** The policies that match the tried call, the winner first; null if no call is tried. */
  matching: readonly Policy[] | null;
}

/** Policies in match order or by use. The winner of a tried call is highlighted. */
export function PolicyList(props: PolicyListProps) {
  const { policies, sort, hrefOfSort, matching, projectId, mayChange } = props;
  const by = (name: PolicySort) => ({
    href: hrefOfSort(name),
    direction: sort === name ? DIRECTIONS[name] : undefined,
  });
  return (
    <Table
      label={sort === 'used' ? 'Policies by use' : 'Policies in match order'}
      items={policies}
      keyOf={({ policyId }) => policyId}
      rowProps={(policy) => {
        const standing = standingOf(policy, matching);
        return { 'data-standing': standing, className: ROW_LOOKS[standing] };
      }}
      columns={[
        {
          name: 'Place in match order',
          heading: (
            <abbr title="Place in match order" className="no-underline">
              #
            </abbr>
          ),
          sort: by('match'),
          numeric: true,
          className: 'hidden w-12 text-muted sm:table-cell',
          cell: ({ place }) => place,
        },
        {
          name: 'Method',
          className: 'w-24 max-sm:hidden',
          cell: ({ method }) => <MethodChip method={method} />,
        },
        {
          name: 'Path pattern',
          heading: (
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
          ),
          cellClassName: 'max-sm:py-3',
          cell: (policy) => <Pattern policy={policy} standing={standingOf(policy, matching)} />,
        },
        {
          name: 'Hits this month',
          sort: by('used'),
          numeric: true,
          className: 'hidden sm:table-cell',
          cell: (policy) => (
            <>
              {formatCount(hitsOf(policy))}
              {policy.denied > 0 && (
                <p className="text-small text-muted">{formatCount(policy.denied)} denied</p>
              )}
            </>
          ),
        },
        mayChange &&
          actionsColumn<ListedPolicy>(
            (policy) => <Changes projectId={projectId} policy={policy} />,
            'w-24',
          ),
      ]}
    />
  );
}

const DIRECTIONS = {
  match: 'ascending',
  used: 'descending',
} as const satisfies Record<PolicySort, string>;

const ROW_LOOKS = {
  untried: '',
  wins: 'bg-allow-soft',
  matches: '',
  does_not_match: 'text-muted',
} as const;

type Standing = keyof typeof ROW_LOOKS;

function standingOf(policy: Policy, matching: readonly Policy[] | null): Standing {
  if (matching === null) return 'untried';
  const at = matching.findIndex(({ policyId }) => policyId === policy.policyId);
  if (at === -1) return 'does_not_match';
  return at === 0 ? 'wins' : 'matches';
}

interface PatternProps {
  policy: ListedPolicy;
  standing: Standing;
}

/** The pattern of a policy, and what to know about it; on a phone all of the policy. */
function Pattern({ policy, standing }: PatternProps) {
  const { cover } = policy.successors;
  const warning = warningOf(policy.pathPattern);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="sm:hidden">
          <MethodChip method={policy.method} />
        </span>
        <PathCode>{policy.pathPattern}</PathCode>
        {standing === 'wins' && (
          <Chip tone="allow" icon={Check}>
            Wins
          </Chip>
        )}
        {standing === 'matches' && <Chip>Also matches</Chip>}
        <PolicyTerms policy={policy} />
      </div>
      {warning && <p className="text-small text-limit-text">{warning}</p>}
      {cover && (
        <p className="text-small text-muted">
          Also covered by <PathCode>{policyText(cover)}</PathCode>
        </p>
      )}
      <p className="numbers text-small text-muted sm:hidden">
        {plural(hitsOf(policy), 'hit')} this month
      </p>
    </>
  );
}

/** What a policy asks of a key, and what its calls cost where that is not 1. */
export const PolicyTerms = ({ policy: { scopes, cost } }: { policy: Terms }) => (
  <>
    <LabelChips labels={scopes} />
    {cost !== 1 && (
      <Chip icon={Coins} className="numbers">
        {cost === 0 ? 'Free' : `Costs ${formatCount(cost)}`}
      </Chip>
    )}
  </>
);

type Terms = Pick<PolicyWithHits, 'scopes' | 'cost'>;

function Changes({ projectId, policy }: { projectId: string; policy: ListedPolicy }) {
  const words = policyText(policy);
  return (
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
          effect: afterDeletion(policy, policy.successors),
        }}
      />
    </div>
  );
}
