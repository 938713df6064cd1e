import { describeLimits } from '@ceiba/domain/limits';
import type { CustomerPlanWithUse } from '@ceiba/schema';
import { LabelChips } from '#components/ui/label-chips.tsx';
import { LimitText } from '#components/ui/limit-text.tsx';
import { Name } from '#components/ui/name.tsx';
import { actionsColumn, Table } from '#components/ui/table.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { countOpen, type LabelSet, mayCall } from '#lib/labels.ts';
import { ChangePlan } from './plan-dialogs.tsx';

/** The numbers of a plan; on a phone they are lines under its name. */
const NUMBERS = [
  ['Per month', (plan: CustomerPlanWithUse) => plan.monthlyQuota],
  ['Per day', (plan: CustomerPlanWithUse) => plan.dailyQuota],
  ['Per minute', (plan: CustomerPlanWithUse) => plan.rateLimitPerMinute],
  ['Keys', (plan: CustomerPlanWithUse) => plan.activeKeyCap],
] as const;

export interface PlanTableProps {
  plans: readonly CustomerPlanWithUse[];
  sets: readonly LabelSet[];
  mayChange: boolean;
}

/** Every plan with what it allows each of its customers. */
export function PlanTable({ plans, sets, mayChange }: PlanTableProps) {
  return (
    <>
      <Table
        label="Plans"
        isListOnPhone
        items={plans}
        keyOf={({ planId }) => planId}
        columns={[
          {
            name: 'Name',
            cellClassName: 'max-md:py-3',
            cell: (plan) => <PlanCell plan={plan} sets={sets} />,
          },
          ...NUMBERS.map(([name, value]) => ({
            name,
            numeric: true,
            className: 'max-md:hidden',
            cell: (plan: CustomerPlanWithUse) => <LimitText value={value(plan)} />,
          })),
          {
            name: 'Customers',
            numeric: true,
            className: 'max-md:hidden',
            cell: ({ customers }) => formatCount(customers),
          },
          mayChange && actionsColumn<CustomerPlanWithUse>((plan) => <ChangePlan plan={plan} />),
        ]}
      />
      {mayChange && (
        <p className="mt-2 text-small text-muted">You can delete a plan that no customer is on.</p>
      )}
    </>
  );
}

function PlanCell({ plan, sets }: Pick<PlanTableProps, 'sets'> & { plan: CustomerPlanWithUse }) {
  const { name, scopes, activeKeyCap, customers } = plan;
  return (
    <>
      <p className="font-medium break-words">
        <Name>{name}</Name>
      </p>
      {scopes !== null && (
        <div className="my-1 flex flex-wrap items-center gap-2">
          <LabelChips labels={scopes} />
          <span className="numbers text-small text-muted">{mayCall(countOpen(sets, scopes))}</span>
        </div>
      )}
      <p className="numbers text-small text-muted md:hidden">
        {describeLimits(plan, formatCount) || 'no limits'}
        {activeKeyCap !== null && `, ${plural(activeKeyCap, 'active key')}`}
        <br />
        {plural(customers, 'customer')}
      </p>
    </>
  );
}
