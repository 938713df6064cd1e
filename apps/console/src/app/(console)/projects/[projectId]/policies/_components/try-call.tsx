'use client';

import { MethodSelect } from '#components/method-select.tsx';
import { CODE_INPUT, Input } from '#components/ui/input.tsx';
import { useLiveQuery } from '#components/ui/use-live-query.ts';

/** The call to try against the list, kept in the URL like every filter. */
export function TryCall({ method, path }: { method: string; path: string }) {
  const { values, change } = useLiveQuery({ method, path }, { method: 'GET', path: '' });
  return (
    <search>
      <form
        onSubmit={(event) => event.preventDefault()}
        className="grid grid-cols-[8rem_minmax(0,1fr)] items-start gap-2 sm:grid-cols-[10rem_minmax(0,1fr)]"
      >
        <MethodSelect
          control={{ name: 'method', 'aria-label': 'Method to try' }}
          value={values.method}
          onChange={(value) => change('method', value)}
        />
        <span className="relative block">
          <Input
            name="path"
            aria-label="Path to try"
            placeholder="/v1/reports/42"
            value={values.path}
            onChange={(event) => change('path', event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') change('path', '');
            }}
            data-shortcut="search"
            {...CODE_INPUT}
            className="pr-10 font-mono"
          />
          <span
            aria-hidden="true"
            className="pointer-events-none absolute top-2 right-2 hidden h-6 w-6 items-center justify-center rounded border font-mono text-small text-muted sm:flex"
          >
            /
          </span>
        </span>
      </form>
    </search>
  );
}
