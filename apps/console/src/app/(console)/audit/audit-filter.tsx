import { QueryForm } from '#components/query-form.tsx';
import { Field } from '#components/ui/field.tsx';
import { FilterButtons, Filters } from '#components/ui/filters.tsx';
import { Input, Select } from '#components/ui/input.tsx';
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
        <Field name="q" label="User, item or IP address" className="max-sm:col-span-2">
          {(control) => (
            <SecretlessInput
              {...control}
              type="search"
              defaultValue={query.text}
              data-shortcut="search"
            />
          )}
        </Field>
        <Field name="kind" label="Type" className="max-sm:col-span-2">
          {(control) => (
            <Select {...control} defaultValue={query.kind}>
              <option value="">Everything</option>
              {kinds.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field name="from" label="First day, UTC">
          {(control) => <Input {...control} type="date" defaultValue={query.firstDay} />}
        </Field>
        <Field name="to" label="Last day, UTC">
          {(control) => <Input {...control} type="date" defaultValue={query.lastDay} />}
        </Field>
        <FilterButtons here={here} isFiltered={query.isFiltered} className="max-sm:col-span-2" />
      </QueryForm>
    </Filters>
  );
}
