import type { UsageOf } from '@ceiba/schema';
import { Section } from '#components/ui/section.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { type KeptRequests, keptNote, requestsIn } from '#components/usage/range-links.ts';
import { formatCount, sum } from '#lib/format.ts';

export interface CustomerUsageProps {
  projectId: string;
  customerId: string;
  /** By day. */
  usage: UsageOf;
  kept: KeptRequests;
}

/** The decisions of a customer's keys by day. */
export function CustomerUsage({ projectId, customerId, usage, kept }: CustomerUsageProps) {
  const { step, usage: steps } = usage;
  const lineOf = (id: string, of: (day: UsageOf['usage'][number]) => number) => {
    const counts = steps.map(of);
    return { id, label: null, total: sum(counts), counts };
  };
  const allowed = sum(steps.map((day) => day.allowed));
  const all = allowed + sum(steps.map((day) => day.denied));
  const cost = sum(steps.map((day) => day.cost));
  return (
    <Section
      title="Usage"
      description={
        <>
          Of the keys that it has now, the last {steps.length} days in UTC.
          {cost !== allowed && ` The allowed calls cost ${formatCount(cost)}.`}{' '}
          {keptNote(kept, usage)}
        </>
      }
    >
      {all === 0 ? (
        <p className="text-muted">No decisions in this time.</p>
      ) : (
        <OutcomeChart
          series={{
            step,
            lines: [
              lineOf('allowed', (day) => day.allowed),
              // Whichever limit refused them: the chart draws both alike.
              lineOf('quota_exceeded', (day) => day.limited),
              lineOf('denied', (day) => day.denied - day.limited),
            ],
            starts: steps.map(({ from }) => from),
          }}
          timeZone="UTC"
          hrefOf={(from, to) => requestsIn(projectId, { from, to }, kept, { customer: customerId })}
        />
      )}
    </Section>
  );
}
