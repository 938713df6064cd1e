'use client';

import type { Labels } from '@ceiba/domain/labels';
import { useState } from 'react';
import {
  countOpen,
  IF_PLAN_OPENS,
  type LabelSet,
  labelsIn,
  labelsOfSets,
  labelText,
  mayCall,
  WITH_PLAN,
} from '../lib/labels.ts';
import { useActionForm } from './action-form.tsx';
import { LabelField } from './label-field.tsx';
import { SelectField } from './ui/field.tsx';

export interface ScopeFieldsProps {
  /** Null opens every policy. */
  initial?: Labels;
  /** The labels of the project's policies. */
  sets: readonly LabelSet[];
  /** Those of the plan of the key's customer, which must open a policy too; null for all. */
  planScopes?: Labels | 'unknown';
}

/** Which policies a key or a plan may call, with how many these are. */
export function ScopeFields({ initial = null, sets, planScopes = null }: ScopeFieldsProps) {
  const { errorOf } = useActionForm();
  const [restricts, setRestricts] = useState(initial === null ? 'no' : 'yes');
  const [typed, setTyped] = useState(labelText(initial));
  const counted = countOpen(
    sets,
    restricts === 'no' ? null : labelsIn(typed),
    planScopes === 'unknown' ? null : planScopes,
  );
  const known = labelsOfSets(sets);
  return (
    <div className="grid gap-4">
      <SelectField
        name="restricts"
        label="Scopes"
        error={errorOf('restricts')}
        value={restricts}
        onChange={(event) => setRestricts(event.target.value)}
        options={[
          ['no', 'Every policy'],
          ['yes', 'Only policies with these labels'],
        ]}
      />
      {restricts === 'yes' && (
        <LabelField
          name="scopes"
          label="Labels"
          hint={
            known.length === 0
              ? 'No policy carries a label yet, so no label opens one. Give the policies labels first, under Policies.'
              : 'Separate them with spaces. Policies without labels are closed, also those that are added later.'
          }
          error={errorOf('scopes')}
          value={typed}
          onChange={setTyped}
          known={known}
        />
      )}
      <p aria-live="polite" className="numbers text-small text-muted">
        {mayCall(counted)}
        {planScopes === 'unknown' ? IF_PLAN_OPENS : planScopes && WITH_PLAN}.
      </p>
    </div>
  );
}
