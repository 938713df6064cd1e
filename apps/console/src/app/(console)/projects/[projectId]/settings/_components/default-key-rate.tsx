'use client';

import { ActionForm } from '#components/action-form.tsx';
import { NumberField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { setDefaultKeyRate } from '../actions.ts';

export interface DefaultKeyRateProps {
  projectId: string;
  /** Null if only the plan limits keys. */
  rate: number | null;
}

export function DefaultKeyRate({ projectId, rate }: DefaultKeyRateProps) {
  const toast = useToast();
  return (
    <ActionForm
      action={setDefaultKeyRate}
      hidden={{ projectId }}
      onDone={() =>
        toast({
          title: 'Default rate saved',
          description: 'It applies from the next request on.',
        })
      }
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <NumberField
            parts={parts}
            name="defaultKeyRateLimitPerMinute"
            label="Requests per minute"
            optional
            hint="If empty, only the plan’s limit applies. 0 allows no requests."
            initial={rate}
          />
          <div>
            <Button type="submit" pending={parts.pending}>
              Save default rate
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
