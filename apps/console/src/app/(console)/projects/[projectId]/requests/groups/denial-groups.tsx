import { ambiguityOf } from '@ceiba/domain';
import type { DenialGroup } from '@ceiba/schema';
import { ArrowRight, Plus } from 'lucide-react';
import { ButtonLink } from '#components/ui/button.tsx';
import { RecordedPath } from '#components/ui/path-text.tsx';
import { MethodChip, OutcomeChip, ProbeChip } from '#components/ui/state-chips.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { isProbe } from '#lib/probe.ts';
import { requestsBetween } from '#lib/requests-href.ts';
import { policyHref, prefixOf } from './policy-href.ts';

export interface DenialGroupsProps {
  projectId: string;
  groups: readonly DenialGroup[];
  mayAddPolicy: boolean;
}

/** All denials by reason, method and path, with their requests; where a policy is missing, also a policy for them. */
export const DenialGroups = ({ groups, ...props }: DenialGroupsProps) => (
  <ul aria-label="Denied requests" className="panel numbers divide-y">
    {groups.map((group) => (
      <li
        key={keyOf(group)}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-(--inset) py-2 md:grid-cols-[12rem_4rem_minmax(0,1fr)_auto]"
      >
        <div>
          <OutcomeChip outcome={group.denialReason} />
        </div>
        <p className="figures text-right font-medium">{formatCount(group.count)}</p>
        <div className="min-w-0 max-md:col-span-2">
          <DeniedCall group={group} />
          <p className="text-small text-muted">
            {isProbe(group.samplePath) && 'looks for a way around your paths, needs no policy; '}
            last denied <RelativeTime at={group.lastAt} inRow />
          </p>
        </div>
        <div className="flex flex-wrap gap-2 max-md:col-span-2 md:justify-end">
          <Steps group={group} {...props} />
        </div>
      </li>
    ))}
  </ul>
);

/** Of a list of groups. */
export const keyOf = ({ denialReason, method, pathShape }: DenialGroup): string =>
  `${denialReason} ${method} ${pathShape}`;

/** The method and the path of the calls of a group. */
export const DeniedCall = ({ group }: { group: DenialGroup }) => (
  <p className="flex min-w-0 items-center gap-2">
    <MethodChip method={group.method} />
    <RecordedPath path={group.pathShape} isClamped />
    {isProbe(group.samplePath) && <ProbeChip />}
  </p>
);

interface StepsProps extends Pick<DenialGroupsProps, 'projectId' | 'mayAddPolicy'> {
  group: DenialGroup;
}

function Steps({ projectId, group, mayAddPolicy }: StepsProps) {
  const { denialReason, method, pathShape, samplePath, firstAt, hasPlain } = group;
  // Where a policy matched, the key or its customer's plan lacks its labels.
  const lacksPolicy = mayAddPolicy && denialReason === 'policy_no_match' && hasPlain;
  // No pattern but * can match an ambiguous path, which a probe is too.
  const isNamable = samplePath !== null && ambiguityOf(samplePath) === null;
  const fields = { reason: denialReason, method, pathPrefix: prefixOf(pathShape) };
  // Since the first that was counted: without a time, a rare group is searched for in the whole log.
  const href = requestsBetween(projectId, { from: firstAt }, fields);
  const name = `${method} ${pathShape ?? ''}`;
  return (
    <>
      {lacksPolicy && pathShape !== null && isNamable && (
        <ButtonLink size="sm" href={policyHref(projectId, { method, pathShape, samplePath })}>
          <Plus aria-hidden="true" />
          Add a policy<span className="sr-only"> for {name}</span>
        </ButtonLink>
      )}
      <ButtonLink size="sm" variant="quiet" className="-mr-3 max-md:first:-ml-3" href={href}>
        Requests<span className="sr-only"> {name}</span>
        <ArrowRight aria-hidden="true" />
      </ButtonLink>
    </>
  );
}
