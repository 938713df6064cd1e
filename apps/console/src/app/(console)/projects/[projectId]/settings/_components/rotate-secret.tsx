'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '#components/ui/dialog.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { useClock } from '#components/ui/time.tsx';
import { shownWith } from '#lib/action-state.ts';
import { type RotatedSecret, rotateSecret } from '../actions.ts';
import { durationWords, overlapAt } from './overlap.ts';

const ShowContext = createContext<(secret: RotatedSecret) => void>(() => {});

// Fetched while the user reads the question.
const loadStep = () => import('./rotated-secret.tsx');
const RotatedSecretStep = dynamic(loadStep);

const rotateShownSecret = shownWith(
  loadStep,
  rotateSecret,
  'A part of this page could not be loaded, so no secret was made. Reload the page and try again.',
);

/** The page, or in its place the one step in which a new secret is shown. */
export function SecretStep({ children }: { children: ReactNode }) {
  const [rotated, setRotated] = useState<RotatedSecret>();
  return rotated === undefined ? (
    <ShowContext value={setRotated}>{children}</ShowContext>
  ) : (
    <RotatedSecretStep rotated={rotated} onDone={() => setRotated(undefined)} />
  );
}

export interface RotateSecretProps {
  projectId: string;
  /** ISO 8601. It names the secret that is replaced. */
  secretCreatedAt: string;
  previousExpiresAt: string | null;
}

export function RotateSecret({ projectId, secretCreatedAt, previousExpiresAt }: RotateSecretProps) {
  const show = useContext(ShowContext);
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  return (
    <AlertDialog
      onOpenChange={(open) => {
        if (open) loadStep().catch(() => {});
      }}
      trigger={<Button>Rotate secret…</Button>}
      title={overlap ? 'Rotate the secret again?' : 'Rotate the project secret?'}
      description={
        overlap ? (
          <p>
            Two secrets are accepted now, and never three. Rotating again ends the previous one at
            once, {durationWords(overlap.remainingMs)} early: hosts that still use it are answered
            401 from the next request on. The one that is current now stays valid for 24 hours more.
          </p>
        ) : (
          <p>
            You are shown a new secret, once. The one that is current now stays valid for 24 hours
            more, so that you can change your hosts one by one and nothing stops.
          </p>
        )
      }
    >
      <ActionForm
        action={rotateShownSecret}
        hidden={{ projectId, replaces: secretCreatedAt }}
        onDone={show}
      >
        {({ pending, errorOf }) => (
          <>
            {overlap && (
              <>
                <Checkbox
                  name="dropsPrevious"
                  value="yes"
                  aria-invalid={errorOf('dropsPrevious') ? true : undefined}
                  label="No host uses the previous secret any more, or it may stop working."
                />
                <p aria-live="polite" className="mt-2 text-small text-deny-text empty:hidden">
                  {errorOf('dropsPrevious') && 'Tick this first: the previous secret ends at once.'}
                </p>
              </>
            )}
            <DialogFooter>
              <AlertDialogCancel asChild>
                <Button>Keep secret</Button>
              </AlertDialogCancel>
              <Button type="submit" variant={overlap ? 'danger' : 'primary'} pending={pending}>
                Rotate secret
              </Button>
            </DialogFooter>
          </>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
