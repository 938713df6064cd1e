import { DENIAL_REASONS } from '@ceiba/contract/sets';
import type { ReactNode } from 'react';
import { InstantField } from '#components/instant-field.tsx';
import { QueryForm } from '#components/query-form.tsx';
import { InputField, type InputFieldProps, SelectField } from '#components/ui/field.tsx';
import { FilterButtons, Filters, QuickRanges } from '#components/ui/filters.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { SecretlessInput } from '#components/ui/secretless-input.tsx';
import { OUTCOME_LOOKS } from '#components/ui/state-chips.tsx';
import { minuteText } from '#lib/instant.ts';
import { withQuery } from '#lib/list-query.ts';
import type { RequestField } from '#lib/requests-href.ts';
import { OUTCOME_CHOICES, type RequestQuery } from './request-query.ts';

/** The fields behind "More filters". */
const MORE: readonly RequestField[] = [
  'key',
  'customer',
  'method',
  'decisionId',
  'requestId',
  'from',
  'to',
];

export interface RequestFilterFormProps {
  here: string;
  query: RequestQuery;
  /** The start of the viewer's day. */
  today: Date;
}

/** The filter of the log, kept in the URL. */
export function RequestFilterForm({ here, query, today }: RequestFilterFormProps) {
  const { fields, errors } = query;
  const field = (name: RequestField) => ({
    name,
    error: errors[name],
    defaultValue: fields[name],
  });
  const set = Object.values(fields).filter((text) => text !== '');
  const usesMore = MORE.some((name) => fields[name] !== '');
  return (
    <Filters set={set.length} isOpen={Object.keys(errors).length > 0}>
      <QueryForm action={here} values={fields} className="max-lg:grid max-lg:gap-3">
        {/* Where there is room, they and "More filters" are on the line of the tabs above. */}
        <QuickRanges
          today={today}
          hrefSince={(from) => withQuery(here, fields, { from: minuteText(from), to: undefined })}
          className="lg:absolute lg:top-2 lg:right-32"
        />
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-end gap-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_10rem_14rem_auto]">
          <Code
            {...field('pathPrefix')}
            label="Path, key prefix, ID or status"
            type="search"
            placeholder="/v1/reports or ceiba_4fZk"
            data-shortcut="search"
            fieldClassName="max-lg:col-span-2"
          />
          <SelectField
            {...field('outcome')}
            label="Outcome"
            options={[
              ['', 'All'],
              ...OUTCOME_CHOICES.map(({ value, name }) => [value, name] as const),
            ]}
          />
          <SelectField
            {...field('reason')}
            label="Reason"
            options={[
              ['', 'Any'],
              ...DENIAL_REASONS.map((reason) => [reason, OUTCOME_LOOKS[reason].label] as const),
            ]}
          />
          <FilterButtons here={here} isFiltered={query.isFiltered} className="max-lg:col-span-2" />
        </div>
        <MoreFilters isOpen={usesMore}>
          <Code {...field('key')} label="Key ID or prefix" placeholder="ceiba_…" />
          <Code {...field('customer')} label="Customer ID" />
          <Code {...field('method')} label="Method" autoCapitalize="characters" placeholder="GET" />
          <InstantField name="from" label="From" value={fields.from} error={errors.from} />
          <InstantField name="to" label="To" value={fields.to} error={errors.to} />
          <Code {...field('decisionId')} label="Decision ID" />
          <Code {...field('requestId')} label="Request ID" />
        </MoreFilters>
      </QueryForm>
    </Filters>
  );
}

/** A field for an identifier or a path. Its text becomes part of the URL. */
const Code = (field: InputFieldProps) => (
  <InputField as={SecretlessInput} {...CODE_INPUT} {...field} />
);

function MoreFilters({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen}>
      <summary className="lg:absolute lg:top-2 lg:right-0 w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink">
        More filters
      </summary>
      <div className="mt-3 grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto_auto]">
        {children}
      </div>
    </details>
  );
}
