'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { setDefaultKeyRate } from '../actions.ts';

export interface DefaultKeyRateProps {
  projectId: string;
  /** Null where the plan alone limits. */
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
          title: 'The default rate is saved',
          description: 'It holds from the next request on.',
        })
      }
      className="grid max-w-md gap-4"
    >
      {({ pending, errorOf, typed }) => (
        <>
          <Field
            name="defaultKeyRateLimitPerMinute"
            label="Requests a minute"
            optional
            hint="Empty: only the plan limits a key. 0 allows no requests."
            error={errorOf('defaultKeyRateLimitPerMinute')}
          >
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                autoComplete="off"
                className="numbers"
                defaultValue={typed(
                  'defaultKeyRateLimitPerMinute',
                  rate === null ? '' : String(rate),
                )}
              />
            )}
          </Field>
          <div>
            <Button type="submit" pending={pending}>
              Save default rate
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
