import Form from 'next/form';
import { type Query, textOf, withQuery } from '../../lib/list-query.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { LinkTabs } from '../ui/link-tabs.tsx';
import { USAGE_PRESETS, type UsageQuery } from './usage-query.ts';

export interface RangePickerProps {
  here: string;
  query: Query;
  usage: UsageQuery;
}

/** Chooses a preset range, or one by its first and last day. Both are in the URL. */
export function RangePicker({ here, query, usage }: RangePickerProps) {
  // Another range keeps the time zone of the hours.
  const zone = textOf(query, 'zone');
  return (
    <>
      <LinkTabs
        label="Range"
        tabs={USAGE_PRESETS.map(({ value, name }) => ({
          name,
          current: usage.choice === value,
          href: withQuery(here, query, { range: value, from: undefined, to: undefined }),
        }))}
      />
      <Form action={here} className="mb-8 grid grid-cols-2 items-start gap-4 sm:flex sm:flex-wrap">
        {zone !== '' && <input type="hidden" name="zone" value={zone} />}
        <Field name="from" label="First day" error={usage.refusal} className="sm:w-44">
          {(control) => (
            <Input {...control} key={usage.firstDay} type="date" defaultValue={usage.firstDay} />
          )}
        </Field>
        <Field name="to" label="Last day" className="sm:w-44">
          {(control) => (
            <Input {...control} key={usage.lastDay} type="date" defaultValue={usage.lastDay} />
          )}
        </Field>
        <Button type="submit" className="w-fit sm:mt-8">
          Show range
        </Button>
      </Form>
    </>
  );
}
