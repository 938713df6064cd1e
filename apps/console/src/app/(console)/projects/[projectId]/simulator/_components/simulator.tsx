'use client';

import { useSearchParams } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { type Choice, Combobox } from '#components/combobox.tsx';
import { MethodSelect } from '#components/method-select.tsx';
import type { Simulation } from '#components/simulation/simulation.ts';
import { SimulationView } from '#components/simulation/simulation-view.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field, InputField } from '#components/ui/field.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { findKeys, simulateCall } from '../actions.ts';
import type { KeySource } from '../key-choices.ts';

export interface SimulatorProps {
  projectId: string;
  /** The newest keys. */
  choices: readonly Choice[];
  /** Where the key is from at first. */
  source: KeySource;
  /** Null without a key. */
  chosen: Choice | null;
  /** The URL names a key that does not exist, so that none is chosen yet. */
  isGone: boolean;
  method: string;
  path: string;
  /** The simulation of the call in the URL; null if there is none. */
  initial: Simulation | null;
  /** Shown until there is a result. */
  children: ReactNode;
}

const KEY_GONE = 'The key of this address no longer exists. Choose another.';

/** The form and its result. A link to another call resets both. */
export function Simulator(props: SimulatorProps) {
  const query = useSearchParams().toString();
  const [seen, setSeen] = useState(query);
  const [own, setOwn] = useState<string>();
  const [resets, setResets] = useState(0);
  if (query !== seen) {
    setSeen(query);
    if (query !== own) setResets(resets + 1);
  }
  return <SimulatedCall key={resets} {...props} onSimulated={setOwn} />;
}

interface SimulatedCallProps extends SimulatorProps {
  /** Receives the query of the call that was simulated here. */
  onSimulated: (query: string) => void;
}

/** The call on the left, the gates with the result on the right. */
function SimulatedCall({
  projectId,
  choices,
  chosen,
  isGone,
  initial,
  children,
  onSimulated,
  ...call
}: SimulatedCallProps) {
  const mayChoose = choices.length > 0;
  const [source, setSource] = useState(call.source);
  const [apiKey, setApiKey] = useState(isGone ? null : (chosen ?? choices[0] ?? null));
  const gone = isGone && apiKey === null ? KEY_GONE : undefined;
  const [method, setMethod] = useState(call.method);
  const [result, setResult] = useState(initial);

  function show(simulation: Simulation, form: HTMLFormElement) {
    setResult(simulation);
    // The URL holds the call for reloading and sharing, but never a pasted key.
    const sent = new FormData(form);
    const query = new URLSearchParams();
    query.set('apiKeyId', source === 'chosen' && apiKey ? apiKey.id : source);
    query.set('method', method);
    query.set('path', String(sent.get('path') ?? ''));
    onSimulated(query.toString());
    window.history.replaceState(null, '', `${window.location.pathname}?${query}`);
  }

  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <ActionForm
        action={simulateCall}
        onDone={show}
        autoComplete="off"
        className="card grid gap-6"
      >
        {({ pending, errorOf, typed }) => (
          <>
            <SourceChoice source={source} onChange={setSource} canChoose={mayChoose} />
            {source === 'chosen' && (
              <Combobox
                name="apiKeyId"
                label="Key"
                hint="Type a part of its name, or the start of the key."
                error={errorOf('apiKeyId') ?? gone}
                projectId={projectId}
                search={findKeys}
                choices={choices}
                value={apiKey}
                onChange={setApiKey}
                listName="Keys"
                nothing="No key has this in its name, note or prefix."
              />
            )}
            {source === 'pasted' && <PastedKeyField error={errorOf('apiKey')} />}
            <div className="grid grid-cols-[8rem_minmax(0,1fr)] items-start gap-3">
              <Field name="method" label="Method" error={errorOf('method')}>
                {(control) => (
                  <MethodSelect control={control} value={method} onChange={setMethod} />
                )}
              </Field>
              <InputField
                name="path"
                label="Path"
                error={errorOf('path')}
                {...CODE_INPUT}
                defaultValue={typed('path', call.path)}
                placeholder="/v1/reports/42"
                data-shortcut="search"
              />
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

function SourceChoice({
  source,
  onChange,
  canChoose,
}: {
  source: KeySource;
  onChange: (source: KeySource) => void;
  canChoose: boolean;
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Key to send</legend>
      <div className="grid grid-cols-3 overflow-hidden rounded border border-line-strong bg-sunken">
        {SOURCES.map(({ value, label }) => (
          <label
            key={value}
            className="flex h-9 cursor-pointer items-center justify-center gap-2 border-l border-line-strong text-muted transition-colors first:border-l-0 hover:text-ink has-checked:bg-control has-checked:font-semibold has-checked:text-ink has-disabled:cursor-not-allowed has-disabled:opacity-60 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus"
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
      {!canChoose && (
        <p className="mt-2 text-small text-muted">This project has no keys to choose from.</p>
      )}
    </fieldset>
  );
}

/** Uncontrolled, so that the pasted key is not an attribute in the page. */
const PastedKeyField = ({ error }: { error: string | undefined }) => (
  <InputField
    name="apiKey"
    label="Key to paste"
    hint="Only its hash is used. The key is not stored or shown again."
    error={error}
    {...CODE_INPUT}
    placeholder="ceiba_…"
    data-1p-ignore
    data-lpignore="true"
  />
);
