'use client';

import { clsx } from 'clsx';
import { useState } from 'react';
import type { ControlProps } from './ui/field.tsx';
import { CODE_INPUT, Input, Select } from './ui/input.tsx';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const OTHER = 'other';

export interface MethodSelectProps {
  control: Partial<ControlProps> & { 'aria-label'?: string };
  value: string;
  onChange: (method: string) => void;
  /** Offers `*`, any method. */
  any?: boolean;
  className?: string;
}

/** The common methods, and a text field for any other. */
export function MethodSelect({
  control,
  value,
  onChange,
  any = false,
  className,
}: MethodSelectProps) {
  const isUsual = METHODS.some((method) => method === value) || (any && value === '*');
  /** The text of that field. It stays open while a common method is typed in it. */
  const [typed, setTyped] = useState<string>();
  const other = !isUsual || typed === value;
  const { name, ...rest } = control;
  return (
    <div className={clsx('grid gap-2', className)}>
      <input type="hidden" name={name} value={value} />
      <Select
        {...rest}
        data-field={name}
        value={other ? OTHER : value}
        onChange={(event) => {
          setTyped(undefined);
          onChange(event.target.value === OTHER ? '' : event.target.value);
        }}
      >
        {METHODS.map((method) => (
          <option key={method} value={method}>
            {method}
          </option>
        ))}
        {any && <option value="*">Any method</option>}
        <option value={OTHER}>Other method</option>
      </Select>
      {other && (
        <Input
          aria-label="Other method"
          data-field={name}
          value={value}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(event.target.value);
          }}
          placeholder="PROPFIND"
          {...CODE_INPUT}
          autoCapitalize="characters"
        />
      )}
    </div>
  );
}
