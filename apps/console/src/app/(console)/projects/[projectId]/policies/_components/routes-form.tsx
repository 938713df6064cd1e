'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { TextAreaField } from '#components/form-fields.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { plural, policyText } from '#lib/format.ts';
import { parseRoutes } from '#lib/routes.ts';
import { addRoutes } from '../actions.ts';

/** Adds a policy for each route of a host, and says before which they will be. */
export function RoutesForm({ suggested }: { suggested: string }) {
  const [text, setText] = useState(suggested);
  const { rules, error } = parseRoutes(text);
  return (
    <ActionForm
      action={addRoutes}
      done={({ added }) => ({ title: `${plural(added, 'policy', 'policies')} added` })}
      className="grid max-w-xl gap-4"
    >
      <TextAreaField
        name="routes"
        label="Routes of your API"
        hint="One a line, as your router names them: GET /v1/reports/:id. Without a method, GET."
        initial={suggested}
        onChange={(event) => setText(event.target.value)}
        rows={4}
        {...CODE_INPUT}
      />
      <output className="text-small text-muted wrap-anywhere">
        {error ?? `Allows, for every active key: ${rules.map(policyText).join(', ')}`}
      </output>
      <div>
        <SubmitButton variant="primary">Add policies</SubmitButton>
      </div>
    </ActionForm>
  );
}
