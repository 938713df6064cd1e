import { InstantField } from '#components/instant-field.tsx';
import { QueryForm } from '#components/query-form.tsx';
import { InputField, SelectField } from '#components/ui/field.tsx';
import { FilterButtons, Filters, QuickRanges } from '#components/ui/filters.tsx';
import { SecretlessInput } from '#components/ui/secretless-input.tsx';
import { minuteText } from '#lib/instant.ts';
import { withQuery } from '#lib/list-query.ts';
import type { AuditQuery } from './audit-query.ts';

export interface AuditFilterFormProps {
  here: string;
  query: AuditQuery;
  /** The types that can occur here. */
  kinds: readonly { value: string; name: string }[];
  /** The start of the viewer's day. */
  today: Date;
}

/** The filter of the log, kept in the URL. */
export function AuditFilterForm({ here, query, kinds, today }: AuditFilterFormProps) {
  const values = { q: query.text, kind: query.kind, from: query.from, to: query.to };
  const set = Object.values(values).filter((text) => text !== '');
  return (
    <Filters set={set.length}>
      <QueryForm
        action={here}
        values={values}
        className="grid grid-cols-2 items-end gap-4 lg:grid-cols-[minmax(0,1fr)_11rem_14rem_14rem_auto]"
      >
        <InputField
          as={SecretlessInput}
          name="q"
          label="User, item or IP address"
          fieldClassName="max-sm:col-span-2"
          type="search"
          defaultValue={query.text}
          data-shortcut="search"
        />
        <SelectField
          name="kind"
          label="Type"
          fieldClassName="max-sm:col-span-2"
          defaultValue={query.kind}
          options={[['', 'Everything'], ...kinds.map(({ value, name }) => [value, name] as const)]}
        />
        <InstantField name="from" label="From" className="max-sm:col-span-2" value={query.from} />
        <InstantField name="to" label="To" className="max-sm:col-span-2" value={query.to} />
        <FilterButtons here={here} isFiltered={query.isFiltered} className="max-sm:col-span-2" />
        <div className="col-span-full">
          <QuickRanges
            today={today}
            hrefSince={(from) => withQuery(here, values, { from: minuteText(from), to: undefined })}
          />
        </div>
      </QueryForm>
    </Filters>
  );
}
