'use client';

import { useSearchParams } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { MethodSelect } from '#components/method-select.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input, Select } from '#components/ui/input.tsx';
import { simulateCall } from '../actions.ts';
import type { Simulation } from './simulation.ts';
import { SimulationView } from './simulation-view.tsx';

export interface KeyChoice {
  apiKeyId: string;
  label: string;
}

export interface SimulatorProps {
  projectId: string;
  /** The newest keys. */
  choices: readonly KeyChoice[];
  /** How many keys there are beside them. */
  unlisted: number;
  apiKeyId: string | null;
  method: string;
  path: string;
  /** What the address asks for, answered by the server; null when it asks for nothing. */
  initial: Simulation | null;
  /** Shown until there is something to show. */
  children: ReactNode;
}

type Source = 'chosen' | 'pasted' | 'none';

/** A call that is simulated, never charged. A link to another call resets it. */
export function Simulator(props: SimulatorProps) {
  const query = useSearchParams().toString();
  const [seen, setSeen] = useState(query);
  const [own, setOwn] = useState<string>();
  const [beginning, setBeginning] = useState(0);
  if (query !== seen) {
    setSeen(query);
    if (query !== own) setBeginning(beginning + 1);
  }
  return <SimulatedCall key={beginning} {...props} onAsked={setOwn} />;
}

interface SimulatedCallProps extends SimulatorProps {
  /** Receives the query of the call that was simulated here. */
  onAsked: (query: string) => void;
}

/** On the left what is sent, on the right each gate's word on it. */
function SimulatedCall({
  projectId,
  choices,
  unlisted,
  initial,
  children,
  onAsked,
  ...call
}: SimulatedCallProps) {
  const [source, setSource] = useState<Source>(call.apiKeyId === null ? 'none' : 'chosen');
  const [apiKeyId, setApiKeyId] = useState(call.apiKeyId ?? '');
  const [method, setMethod] = useState(call.method);
  const [result, setResult] = useState(initial);

  function show(simulation: Simulation, form: HTMLFormElement) {
    setResult(simulation);
    // What was typed can be reloaded and shared; a pasted key never is.
    const sent = new FormData(form);
    const query = new URLSearchParams();
    if (source === 'chosen') query.set('apiKeyId', apiKeyId);
    query.set('method', method);
    query.set('path', String(sent.get('path') ?? ''));
    onAsked(query.toString());
    window.history.replaceState(null, '', `${window.location.pathname}?${query}`);
  }

  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
      <ActionForm
        action={simulateCall}
        hidden={{ projectId }}
        onDone={show}
        autoComplete="off"
        className="grid content-start gap-6"
      >
        {({ pending, errorOf, typed }) => (
          <>
            <KeySource source={source} onChange={setSource} canChoose={choices.length > 0} />
            {source === 'chosen' && (
              <Field
                name="apiKeyId"
                label="Key"
                hint={
                  unlisted > 0
                    ? 'The newest are listed. Others: from their menu on the page Keys, or pasted.'
                    : undefined
                }
                error={errorOf('apiKeyId')}
              >
                {(control) => (
                  <Select
                    {...control}
                    value={apiKeyId}
                    onChange={(event) => setApiKeyId(event.target.value)}
                  >
                    {choices.map((choice) => (
                      <option key={choice.apiKeyId} value={choice.apiKeyId}>
                        {choice.label}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
            {source === 'pasted' && (
              <Field
                name="apiKey"
                label="Key to paste"
                hint="It is compared by its hash, and neither kept nor shown again."
                error={errorOf('apiKey')}
              >
                {/* Uncontrolled, so that what is pasted is no attribute of the page. */}
                {(control) => (
                  <Input
                    {...control}
                    placeholder="ceiba_…"
                    className="font-mono"
                    autoCapitalize="none"
                    spellCheck={false}
                    data-1p-ignore
                    data-lpignore="true"
                  />
                )}
              </Field>
            )}
            <div className="grid grid-cols-[8.5rem_minmax(0,1fr)] items-start gap-3">
              <Field name="method" label="Method" error={errorOf('method')}>
                {(control) => (
                  <MethodSelect control={control} value={method} onChange={setMethod} />
                )}
              </Field>
              <Field name="path" label="Path" error={errorOf('path')}>
                {(control) => (
                  <Input
                    {...control}
                    defaultValue={typed('path', call.path)}
                    placeholder="/v1/reports/42"
                    data-shortcut="search"
                    className="font-mono"
                    autoCapitalize="none"
                    spellCheck={false}
                  />
                )}
              </Field>
            </div>
            <div>
              <Button type="submit" variant="primary" pending={pending}>
                Simulate call
              </Button>
            </div>
          </>
        )}
      </ActionForm>
      <section aria-label="Verdict" aria-live="polite" className="min-w-0">
        {result === null ? children : <SimulationView simulation={result} />}
      </section>
    </div>
  );
}

const SOURCES = [
  { value: 'chosen', label: 'Choose' },
  { value: 'pasted', label: 'Paste' },
  { value: 'none', label: 'No key' },
] as const;

function KeySource({
  source,
  onChange,
  canChoose,
}: {
  source: Source;
  onChange: (source: Source) => void;
  canChoose: boolean;
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Key that is sent</legend>
      <div className="grid grid-cols-3 overflow-hidden rounded border border-line-strong">
        {SOURCES.map(({ value, label }) => (
          <label
            key={value}
            className="flex h-10 cursor-pointer items-center justify-center gap-2 border-l border-line-strong bg-surface transition-colors first:border-l-0 hover:bg-hover has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent-text has-disabled:cursor-not-allowed has-disabled:opacity-60 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name="source"
              value={value}
              checked={source === value}
              disabled={value === 'chosen' && !canChoose}
              onChange={() => onChange(value)}
              className="sr-only"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
