'use client';

import { ActionForm } from '#components/action-form.tsx';
import { NumberField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { setRequestLog } from '../actions.ts';

export interface DecisionLogProps {
  projectId: string;
  /** The share of allowed requests that is recorded, from 0 to 100. */
  loggedAllowsPercent: number;
  /** Whether paths are recorded. */
  logsPaths: boolean;
}

export function DecisionLog({ projectId, loggedAllowsPercent, logsPaths }: DecisionLogProps) {
  const toast = useToast();
  return (
    <ActionForm
      action={setRequestLog}
      hidden={{ projectId }}
      onDone={() => toast({ title: 'Decision log saved' })}
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <NumberField
            parts={parts}
            name="loggedAllowsPercent"
            label="Allowed requests to record, in percent"
            hint="From 0 to 100. Denied requests are always recorded."
            initial={loggedAllowsPercent}
          />
          <Checkbox
            name="logsPaths"
            value="yes"
            defaultChecked={logsPaths}
            label="Record paths"
            hint="Paths are recorded without the query. If off, requests cannot be found by path."
          />
          <div>
            <Button type="submit" pending={parts.pending}>
              Save decision log
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
