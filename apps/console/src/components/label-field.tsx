'use client';

import { clsx } from 'clsx';
import { Check, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { labelsIn } from '../lib/labels.ts';
import { InputField } from './ui/field.tsx';
import { CODE_INPUT } from './ui/input.tsx';

export interface LabelFieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
  error: string | undefined;
  /** Labels with spaces between them. */
  value: string;
  onChange: (value: string) => void;
  /** The labels in use, each a click away. */
  known: readonly string[];
}

/** Labels as a text, and those in use as buttons that add or remove one. */
export function LabelField({ value, onChange, known, ...field }: LabelFieldProps) {
  const chosen = labelsIn(value);
  const toggle = (label: string) =>
    onChange(
      (chosen.includes(label) ? chosen.filter((one) => one !== label) : [...chosen, label]).join(
        ' ',
      ),
    );
  return (
    <div className="grid gap-2">
      <InputField
        {...field}
        {...CODE_INPUT}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder="reports:read"
      />
      {known.length > 0 && (
        <fieldset className="-m-0.5 flex max-h-40 flex-wrap gap-2 overflow-y-auto p-0.5">
          <legend className="sr-only">Labels in use</legend>
          {known.map((label) => (
            <LabelToggle
              key={label}
              label={label}
              isChosen={chosen.includes(label)}
              onToggle={() => toggle(label)}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}

function LabelToggle({
  label,
  isChosen,
  onToggle,
}: {
  label: string;
  isChosen: boolean;
  onToggle: () => void;
}) {
  const Icon = isChosen ? Check : Plus;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onToggle}
      className={clsx(
        'inline-flex min-h-8 max-w-full items-center gap-1 rounded border px-2 font-mono text-small transition-colors hover:border-line-strong max-sm:min-h-10',
        isChosen
          ? 'border-accent-text bg-accent-soft text-accent-text'
          : 'border-control-line bg-control text-ink',
      )}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="truncate">{label}</span>
    </button>
  );
}
