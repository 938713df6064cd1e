'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button } from '#components/ui/button.tsx';
import { shownWith } from '#lib/action-state.ts';
import { addWebhook, type NewSigningSecret, rotateSigning } from '../actions.ts';
import { type AlertChoice, DestinationFields } from './destination-fields.tsx';

const ShowContext = createContext<(created: NewSigningSecret) => void>(() => {});

// Loaded when the user begins, to keep the page small.
const loadStep = () => import('./signing-secret.tsx');
const SigningSecret = dynamic(loadStep);

const NOT_LOADED =
  'Part of this page failed to load, so nothing was changed. Reload the page and try again.';
const addShownWebhook = shownWith(loadStep, addWebhook, NOT_LOADED);
const rotateShown = shownWith(loadStep, rotateSigning, NOT_LOADED);

/** The page, or instead of it a new signing secret. */
export function SigningSecretStep({ children }: { children: ReactNode }) {
  const [created, setCreated] = useState<NewSigningSecret>();
  return created === undefined ? (
    <ShowContext value={setCreated}>{children}</ShowContext>
  ) : (
    <SigningSecret created={created} onDone={() => setCreated(undefined)} />
  );
}

export function AddWebhook({
  projectId,
  choices,
}: {
  projectId: string;
  choices: readonly AlertChoice[];
}) {
  const show = useContext(ShowContext);
  return (
    <ActionForm
      action={addShownWebhook}
      hidden={{ projectId }}
      onDone={show}
      onInput={() => loadStep().catch(() => {})}
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <DestinationFields parts={parts} kind="webhook" choices={choices} />
          <div>
            <Button type="submit" pending={parts.pending}>
              Add webhook
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}

export function RotateSigningSecret(hidden: { projectId: string; destinationId: string }) {
  const show = useContext(ShowContext);
  return (
    <ConfirmAction
      onOpenChange={(open) => {
        if (open) loadStep().catch(() => {});
      }}
      trigger={<Button>Rotate signing secret…</Button>}
      title="Rotate the signing secret?"
      description={
        <p>
          The new secret is shown once. For {SECRET_OVERLAP_HOURS} hours each request has a
          signature by both, so you can update your server without losing any. A secret before the
          current one stops signing at once.
        </p>
      }
      action={rotateShown}
      hidden={{ ...hidden }}
      onDone={show}
      cancel="Keep secret"
      confirm="Rotate secret"
      isDangerous={false}
    />
  );
}
