import { DENIAL_REASONS } from '@ceiba/contract/sets';
import type { ReactNode } from 'react';
import { QueryForm } from '#components/query-form.tsx';
import { OUTCOME_LOOKS } from '#components/ui/chip.tsx';
import { Field } from '#components/ui/field.tsx';
import { FilterButtons, Filters } from '#components/ui/filters.tsx';
import { Input, Select } from '#components/ui/input.tsx';
import { SecretlessInput } from '#components/ui/secretless-input.tsx';
import type { RequestField } from '#lib/requests-href.ts';
import { OUTCOME_CHOICES, type RequestQuery } from './request-query.ts';

export interface RequestFilterFormProps {
  here: string;
  query: RequestQuery;
}

/** The fields behind "More filters". */
const MORE: readonly RequestField[] = ['key', 'method', 'decisionId', 'requestId', 'from', 'to'];

/** The filter of the log, kept in the URL. */
export function RequestFilterForm({ here, query }: RequestFilterFormProps) {
  const { fields, errors } = query;
  const field = (name: RequestField) => ({ name, error: errors[name] });
  const set = Object.values(fields).filter((text) => text !== '');
  const usesMore = MORE.some((name) => fields[name] !== '');
  return (
    <Filters set={set.length} isOpen={Object.keys(errors).length > 0}>
      <QueryForm
        action={here}
        // The fields follow the URL, even if a link changes it.
        key={JSON.stringify(fields)}
        className="grid gap-4"
      >
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-end gap-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_10rem_14rem_auto]">
          <Field {...field('pathPrefix')} label="Path begins with" className="max-lg:col-span-2">
            {(control) => (
              <SecretlessInput
                {...control}
                type="search"
                defaultValue={fields.pathPrefix}
                placeholder="/v1/reports"
                data-shortcut="search"
                className="font-mono"
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
          </Field>
          <Field {...field('outcome')} label="Outcome">
            {(control) => (
              <Select {...control} defaultValue={fields.outcome}>
                <option value="">All</option>
                {OUTCOME_CHOICES.map(({ value, name }) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field {...field('reason')} label="Reason">
            {(control) => (
              <Select {...control} defaultValue={fields.reason}>
                <option value="">Any</option>
                {DENIAL_REASONS.map((reason) => (
                  <option key={reason} value={reason}>
                    {OUTCOME_LOOKS[reason].label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <FilterButtons here={here} isFiltered={query.isFiltered} className="max-lg:col-span-2" />
        </div>
        <MoreFilters isOpen={usesMore}>
          <Field {...field('key')} label="Key ID or prefix">
            {(control) => (
              <SecretlessInput
                {...control}
                {...CODE}
                defaultValue={fields.key}
                placeholder="ceiba_…"
              />
            )}
          </Field>
          <Field {...field('method')} label="Method">
            {(control) => (
              <SecretlessInput
                {...control}
                {...CODE}
                autoCapitalize="characters"
                defaultValue={fields.method}
                placeholder="GET"
              />
            )}
          </Field>
          <Field {...field('from')} label="From, UTC">
            {(control) => <Input {...control} type="datetime-local" defaultValue={fields.from} />}
          </Field>
          <Field {...field('to')} label="To, UTC">
            {(control) => <Input {...control} type="datetime-local" defaultValue={fields.to} />}
          </Field>
          <Field {...field('decisionId')} label="Decision ID">
            {(control) => (
              <SecretlessInput {...control} {...CODE} defaultValue={fields.decisionId} />
            )}
          </Field>
          <Field {...field('requestId')} label="Request ID">
            {(control) => (
              <SecretlessInput {...control} {...CODE} defaultValue={fields.requestId} />
            )}
          </Field>
        </MoreFilters>
      </QueryForm>
    </Filters>
  );
}

const CODE = {
  className: 'font-mono',
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
} as const;

function MoreFilters({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen}>
      <summary className="w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink">
        More filters
      </summary>
      <div className="mt-4 grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto_auto]">
        {children}
      </div>
    </details>
  );
}
