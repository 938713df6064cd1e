import { CalendarDays } from 'lucide-react';
import Form from 'next/form';
import { type Query, textOf, withQuery } from '../../lib/list-query.ts';
import { dayName } from '../../lib/time.ts';
import { Button, buttonLooks } from '../ui/button.tsx';
import { InputField } from '../ui/field.tsx';
import { LinkTabs } from '../ui/link-tabs.tsx';
import { USAGE_PRESETS, type UsageQuery } from './usage-query.ts';

export interface RangePickerProps {
  here: string;
  query: Query;
  usage: UsageQuery;
}

/**
 * Chooses a preset range, or behind one more control a range by its first and last day, which are counted
 * in UTC. Both are in the URL. It needs no scripts.
 */
export function RangePicker({ here, query, usage }: RangePickerProps) {
  return (
    <div className="mb-5 flex flex-wrap items-end gap-x-4 gap-y-3 [&>nav]:mb-0 [&>nav]:grow">
      <LinkTabs
        label="Range"
        tabs={USAGE_PRESETS.map(({ value, name }) => ({
          name,
          current: usage.choice === value,
          href: withQuery(here, query, { range: value, from: undefined, to: undefined }),
        }))}
      />
      <details open={usage.refusal !== undefined} className="open:basis-full">
        <summary className={buttonLooks({ size: 'sm' })}>
          <CalendarDays aria-hidden="true" />
          {usage.choice === 'custom' ? wordsOf(usage) : 'Choose days'}
        </summary>
        <Form
          action={here}
          prefetch={false}
          className="mt-4 grid grid-cols-2 items-start gap-4 sm:flex sm:flex-wrap"
        >
          {Object.keys(query)
            .filter((name) => !RANGE_FIELDS.has(name))
            .map((name) => (
              <input key={name} type="hidden" name={name} value={textOf(query, name)} />
            ))}
          <InputField
            key={`from ${usage.firstDay}`}
            name="from"
            label="First day, UTC"
            error={usage.refusal}
            fieldClassName="sm:w-44"
            type="date"
            defaultValue={usage.firstDay}
          />
          <InputField
            key={`to ${usage.lastDay}`}
            name="to"
            label="Last day, UTC"
            fieldClassName="sm:w-44"
            type="date"
            defaultValue={usage.lastDay}
          />
          <Button type="submit" className="w-fit sm:mt-8">
            Show range
          </Button>
        </Form>
      </details>
    </div>
  );
}

/** What the range is in the address. What else it has, such as the chosen tab, stays. */
const RANGE_FIELDS: ReadonlySet<string> = new Set(['range', 'from', 'to']);

/** The range that was chosen by its days: "1 Feb 2026 to 7 Feb 2026, UTC". */
function wordsOf({ from, to }: UsageQuery): string {
  const [first, last] = [from, new Date(to.getTime() - 1)].map((day) => dayName(day, 'UTC'));
  return `${first === last ? first : `${first} to ${last}`}, UTC`;
}
