import { OUTCOMES, type Outcome } from '@ceiba/contract/sets';
import type { UsageRange } from '@ceiba/domain';
import type { UsageSeries } from '@ceiba/schema';
import { sum } from '../../lib/format.ts';
import { Section } from '../ui/section.tsx';
import { OUTCOME_LOOKS, OutcomeChip } from '../ui/state-chips.tsx';
import { type KeptRequests, keptNote, requestsIn } from './range-links.ts';
import { type Share, ShareList } from './share-list.tsx';
import { WhyLink } from './why-link.tsx';

export interface DenialReasonsProps {
  projectId: string;
  /** By outcome. */
  series: UsageSeries;
  /** The range of the series. */
  range: UsageRange;
  kept: KeptRequests;
  /** The key that the series is about, if it is about one. */
  apiKeyId?: string;
}

/** How often each reason denied, as a part of a page below tabs. */
export function DenialReasons(props: DenialReasonsProps) {
  const { projectId, series, range, kept } = props;
  if (!hasDenials(series)) {
    return <p className="py-8 text-muted">No call was denied in this range.</p>;
  }
  const all = requestsIn(projectId, range, kept, { outcome: 'denied' });
  return (
    <Section
      title="Denial reasons"
      className="border-transparent pt-1"
      description={`Denied calls do not use quota. ${keptNote(kept, range)}`.trimEnd()}
      link={all === null ? null : { href: all, label: 'Denied requests' }}
    >
      <DenialShares {...props} />
    </Section>
  );
}

/** Whether any calls were denied. */
export const hasDenials = (series: UsageSeries): boolean => denialsOf(series).length > 0;

const denialsOf = ({ lines }: UsageSeries) =>
  lines.filter(({ id }) => id !== 'allowed').sort((one, other) => other.total - one.total);

/** How often each reason denied, with links to the requests of the range. */
export function DenialShares({
  projectId,
  series,
  range,
  kept,
  apiKeyId = '',
}: DenialReasonsProps) {
  const denials = denialsOf(series);
  const total = sum(denials.map((line) => line.total));
  const shares = denials.flatMap((line): Share[] => {
    const outcome = OUTCOMES.find((known) => known === line.id);
    if (outcome === undefined) return [];
    const { tone } = OUTCOME_LOOKS[outcome];
    const href = requestsIn(projectId, range, kept, { reason: outcome, key: apiKeyId });
    const name = <DenialReason outcome={outcome} href={href} />;
    return [{ id: line.id, name, count: line.total, tone }];
  });
  return <ShareList label="Denial reasons" shares={shares} total={total} />;
}

/** A reason, with a link to the requests that were denied for it, if they are kept. */
function DenialReason({ outcome, href }: { outcome: Outcome; href: string | null }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:gap-x-5">
      <OutcomeChip outcome={outcome} />
      {href && <WhyLink href={href} about={OUTCOME_LOOKS[outcome].label} />}
    </span>
  );
}
