'use client';

import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { FormButtons } from '#components/form-fields.tsx';
import { MethodSelect } from '#components/method-select.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { useLiveQuery } from '#components/ui/use-live-query.ts';
import { cn } from '#lib/cn.ts';
import { changePolicy, createNewPolicy } from '../actions.ts';

export interface PolicyFormProps {
  projectId: string;
  /** Undefined adds a policy. */
  policyId: string | undefined;
  /** The fields before anything is typed. */
  start: { method: string; pathPattern: string };
  method: string;
  pathPattern: string;
  /** A path to try. */
  path: string;
  /** Why it cannot be saved as typed. The server checks while the user types. */
  methodError?: string | undefined;
  patternError?: string | undefined;
  /** The preview of what is typed, rendered by the server. */
  children: ReactNode;
}

/** The fields of a policy, with a preview that follows what is typed. */
export function PolicyForm({ projectId, policyId, children, ...props }: PolicyFormProps) {
  const router = useRouter();
  const toast = useToast();
  const { start, method, pathPattern, path } = props;
  const {
    values,
    change,
    stop,
    pending: settling,
  } = useLiveQuery(
    { method, pathPattern, path },
    { method: start.method, pathPattern: start.pathPattern, path: '' },
  );
  const list = `/projects/${projectId}/policies`;
  const isNew = policyId === undefined;
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <ActionForm
        action={isNew ? createNewPolicy : changePolicy}
        hidden={isNew ? { projectId } : { projectId, policyId }}
        onDone={(saved) => {
          stop();
          toast({
            title: isNew ? 'Policy added' : 'Policy saved',
            description: `${saved.method} ${saved.pathPattern}`,
          });
          router.push(list);
        }}
        className="grid content-start gap-6"
      >
        {({ pending, errorOf }) => (
          <>
            <Field
              name="method"
              label="Method"
              hint="GET does not include HEAD."
              error={(settling ? undefined : props.methodError) ?? errorOf('method')}
            >
              {(control) => (
                <MethodSelect
                  control={control}
                  any
                  value={values.method}
                  onChange={(value) => change('method', value)}
                />
              )}
            </Field>
            <Field
              name="pathPattern"
              label="Path pattern"
              hint="A path. With a * at its end it matches that path and all paths below it."
              error={settling ? undefined : (props.patternError ?? errorOf('pathPattern'))}
            >
              {(control) => (
                <Input
                  {...control}
                  value={values.pathPattern}
                  onChange={(event) => change('pathPattern', event.target.value)}
                  placeholder="/v1/reports*"
                  className="font-mono"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  autoFocus={isNew}
                />
              )}
            </Field>
            <FormButtons
              label={isNew ? 'Add policy' : 'Save policy'}
              pending={pending}
              cancelHref={list}
            />
          </>
        )}
      </ActionForm>
      <section aria-label="Preview" className="min-w-0 rounded border bg-surface p-4 sm:p-6">
        <Field name="path" label="Try a path" optional hint="Tried with the chosen method.">
          {({ id, ...control }) => (
            <Input
              {...control}
              id={id}
              value={values.path}
              onChange={(event) => change('path', event.target.value)}
              placeholder="/v1/reports/42"
              data-shortcut="search"
              className="font-mono"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        <div
          aria-live="polite"
          aria-busy={settling}
          className={cn('mt-6 transition-opacity', settling && 'opacity-60')}
        >
          {children}
        </div>
      </section>
    </div>
  );
}
