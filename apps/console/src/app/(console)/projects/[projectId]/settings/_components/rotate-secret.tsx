'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, startTransition, useContext, useState } from 'react';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button } from '#components/ui/button.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { useClock } from '#components/ui/time.tsx';
import { shownWith } from '#lib/action-state.ts';
import { type RotatedSecret, rotateSecret } from '../actions.ts';
import { durationWords, overlapAt } from './overlap.ts';

const ShowContext = createContext<(secret: RotatedSecret) => void>(() => {});

// Loaded while the user reads the question.
const loadStep = () => import('./rotated-secret.tsx');
const RotatedSecretStep = dynamic(loadStep);

const rotateShownSecret = shownWith(
  loadStep,
  rotateSecret,
  'Part of this page failed to load, so the secret was not rotated. Reload the page and try again.',
);

/** The page, or instead of it the new secret right after a rotation. */
export function SecretStep({ children }: { children: ReactNode }) {
  const [rotated, setRotated] = useState<RotatedSecret>();
  const router = useRouter();
  // The page before the rotation has another current secret, and would end the wrong one.
  const leave = () =>
    startTransition(() => {
      router.refresh();
      setRotated(undefined);
    });
  return rotated === undefined ? (
    <ShowContext value={setRotated}>{children}</ShowContext>
  ) : (
    <RotatedSecretStep rotated={rotated} onDone={leave} />
  );
}

export interface RotateSecretProps {
  projectId: string;
  /** ISO 8601. It identifies the secret to replace. */
  secretCreatedAt: string;
  previousExpiresAt: string | null;
}

export function RotateSecret({ projectId, secretCreatedAt, previousExpiresAt }: RotateSecretProps) {
  const show = useContext(ShowContext);
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  return (
    <ConfirmAction
      onOpenChange={(open) => {
        if (open) loadStep().catch(() => {});
      }}
      trigger={<Button>Rotate secret…</Button>}
      title={overlap ? 'Rotate the secret again?' : 'Rotate the project secret?'}
      description={
        overlap ? (
          <p>
            Two secrets are accepted now, and never more. Rotating again ends the previous one
            immediately, {durationWords(overlap.remainingMs)} early: requests with it are answered
            with 401. The current secret stays valid for another {SECRET_OVERLAP_HOURS} hours.
          </p>
        ) : (
          <p>
            The new secret is shown once. The current secret stays valid for another{' '}
            {SECRET_OVERLAP_HOURS} hours, so that you can update your servers one by one without
            downtime.
          </p>
        )
      }
      action={rotateShownSecret}
      hidden={{ projectId, replaces: secretCreatedAt }}
      onDone={show}
      cancel="Keep secret"
      confirm="Rotate secret"
      isDangerous={overlap !== null}
    >
      {({ errorOf }) =>
        overlap && (
          <>
            <Checkbox
              name="dropsPrevious"
              value="yes"
              aria-invalid={errorOf('dropsPrevious') ? true : undefined}
              label="No server uses the previous secret any more, or it may stop working."
            />
            <p aria-live="polite" className="mt-2 text-small text-deny-text empty:hidden">
              {errorOf('dropsPrevious')}
            </p>
          </>
        )
      }
    </ConfirmAction>
  );
}
