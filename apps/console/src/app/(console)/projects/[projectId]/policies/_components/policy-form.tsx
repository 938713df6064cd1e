'use client';

import { clsx } from 'clsx';
import { useRouter } from 'next/navigation';
import { Fragment, type ReactNode, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { FormButtons } from '#components/form-fields.tsx';
import { LabelField } from '#components/label-field.tsx';
import { MethodSelect } from '#components/method-select.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field, InputField } from '#components/ui/field.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PathCode, PathText } from '#components/ui/path-text.tsx';
import { useLiveQuery } from '#components/ui/use-live-query.ts';
import { policyText } from '#lib/format.ts';
import { changePolicy, createNewPolicy } from '../actions.ts';

/** A policy as texts; no cost is 1. */
export interface TypedPolicy {
  method: string;
  pathPattern: string;
  /** Labels with spaces between them. */
  scopes: string;
  cost: string;
}

const FIELDS = ['method', 'pathPattern', 'scopes', 'cost'] as const;

export interface PolicyFormProps {
  projectId: string;
  /** Undefined adds a policy. */
  policyId: string | undefined;
  /** The fields before anything is typed. */
  start: TypedPolicy;
  /** With a path to try. */
  typed: TypedPolicy & { path: string };
  /** The labels in use. */
  known: readonly string[];
  /** Why it cannot be saved as typed. The server checks while the user types. */
  methodError?: string | undefined;
  patternError?: string | undefined;
  /** That the pattern allows more than the denied calls that led here. */
  widening: string | null;
  /** The preview of what is typed, rendered by the server. */
  children: ReactNode;
}

/** The fields of a policy, with a preview that follows what is typed. */
export function PolicyForm({ projectId, policyId, children, ...props }: PolicyFormProps) {
  const router = useRouter();
  const { start, typed } = props;
  const { values, change, stop, pending: settling } = useLiveQuery(typed, { ...start, path: '' });
  const list = `/projects/${projectId}/policies`;
  const isNew = policyId === undefined;
  // The server renders `start` again while the user types, so another tab's change arrives here.
  const [seen, setSeen] = useState(start);
  const isChanged = !isSameRule(seen, start);
  if (isChanged && isSameRule(values, start)) setSeen(start);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <ActionForm
        action={isNew ? createNewPolicy : changePolicy}
        hidden={
          isNew
            ? undefined
            : {
                policyId,
                seenMethod: seen.method,
                seenPathPattern: seen.pathPattern,
                seenScopes: seen.scopes,
                seenCost: seen.cost,
              }
        }
        done={(saved) => ({
          title: isNew ? 'Policy added' : 'Policy saved',
          description: `${saved.method} ${saved.pathPattern}`,
        })}
        onDone={() => {
          stop();
          router.push(list);
        }}
        className="card grid gap-6"
      >
        {({ errorOf }) => (
          <>
            {isChanged && (
              <ChangedElsewhere
                saved={start}
                typed={values}
                onKeep={() => setSeen(start)}
                onDiscard={() => {
                  for (const name of FIELDS) change(name, start[name]);
                }}
              />
            )}
            <Field
              name="method"
              label="Method"
              hint={values.method === 'GET' ? 'GET does not include HEAD.' : undefined}
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
            <InputField
              name="pathPattern"
              label="Path pattern"
              hint="A path. With a * at its end it matches that path and all paths below it."
              error={settling ? undefined : (props.patternError ?? errorOf('pathPattern'))}
              {...CODE_INPUT}
              value={values.pathPattern}
              onChange={(event) => change('pathPattern', event.target.value)}
              placeholder="/v1/reports*"
              autoFocus={isNew}
            />
            {props.widening !== null && !settling && (
              <Notice tone="warning">
                <PathText>{props.widening}</PathText>
              </Notice>
            )}
            <LabelField
              name="scopes"
              label="Labels"
              optional
              hint="They open the policy to keys and plans with one of them as a scope. Without labels it is closed to every restricted key."
              error={settling ? undefined : errorOf('scopes')}
              value={values.scopes}
              onChange={(value) => change('scopes', value)}
              known={props.known}
            />
            <InputField
              name="cost"
              label="Cost"
              optional
              hint="What a call takes of quotas: 1 if empty; 0 is free. Rates count calls."
              error={settling ? undefined : errorOf('cost')}
              inputMode="numeric"
              autoComplete="off"
              className="numbers"
              value={values.cost}
              onChange={(event) => change('cost', event.target.value)}
            />
            <FormButtons label={isNew ? 'Add policy' : 'Save policy'} cancelHref={list} />
          </>
        )}
      </ActionForm>
      <section aria-label="Preview" className="card min-w-0">
        <InputField
          name="path"
          label="Try a path"
          optional
          hint="Tried with the chosen method."
          {...CODE_INPUT}
          value={values.path}
          onChange={(event) => change('path', event.target.value)}
          placeholder="/v1/reports/42"
          data-shortcut="search"
        />
        <div
          aria-live="polite"
          aria-busy={settling}
          className={clsx('mt-6 transition-opacity', settling && 'opacity-60')}
        >
          {children}
        </div>
      </section>
    </div>
  );
}

const isSameRule = (one: TypedPolicy, other: TypedPolicy) =>
  FIELDS.every((name) => one[name] === other[name]);

interface ChangedElsewhereProps {
  saved: TypedPolicy;
  typed: TypedPolicy;
  onKeep: () => void;
  onDiscard: () => void;
}

/** Another tab or another user saved a change of the policy: shows both, and asks which one stays. */
function ChangedElsewhere({ saved, typed, onKeep, onDiscard }: ChangedElsewhereProps) {
  return (
    <Notice tone="warning" title="This policy was changed in the meantime">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {[['Saved', saved] as const, ['Yours', typed] as const].map(([name, rule]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <PathCode className="text-ink">{policyText(rule)}</PathCode>
              {rule.scopes !== '' && <p>labels {rule.scopes}</p>}
              {rule.cost !== '' && <p>cost {rule.cost}</p>}
            </dd>
          </Fragment>
        ))}
      </dl>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" onClick={onKeep}>
          Keep mine
        </Button>
        <Button size="sm" onClick={onDiscard}>
          Use the saved one
        </Button>
      </div>
    </Notice>
  );
}
