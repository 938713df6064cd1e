import { QueryForm } from '#components/query-form.tsx';
import { InputField, SelectField } from '#components/ui/field.tsx';
import { FilterButtons, Filters } from '#components/ui/filters.tsx';
import { SecretlessInput } from '#components/ui/secretless-input.tsx';
import type { AuditQuery } from './audit-query.ts';

export interface AuditFilterFormProps {
  here: string;
  query: AuditQuery;
  /** The types that can occur here. */
  kinds: readonly { value: string; name: string }[];
}

/** The filter of the log, kept in the URL. */
export function AuditFilterForm({ here, query, kinds }: AuditFilterFormProps) {
  const set = [query.text, query.kind, query.firstDay, query.lastDay].filter((text) => text !== '');
  return (
    <Filters set={set.length}>
      <QueryForm
        action={here}
        // The fields follow the URL, even if a link changes it.
        key={JSON.stringify([query.text, query.kind, query.firstDay, query.lastDay])}
        className="grid grid-cols-2 items-end gap-4 lg:grid-cols-[minmax(0,1fr)_11rem_10rem_10rem_auto]"
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
        <InputField name="from" label="First day, UTC" type="date" defaultValue={query.firstDay} />
        <InputField name="to" label="Last day, UTC" type="date" defaultValue={query.lastDay} />
        <FilterButtons here={here} isFiltered={query.isFiltered} className="max-sm:col-span-2" />
      </QueryForm>
    </Filters>
  );
}
