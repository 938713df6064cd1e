'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { useActionForm } from '#components/action-form.tsx';
import { FieldError } from '#components/form-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { Button } from '#components/ui/button.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { useClock } from '#components/ui/time.tsx';
import { StillUsed } from '../../_components/still-used-later.tsx';
import { endOldSecret, type RotatedSecret, rotateSecret } from '../actions.ts';
import { durationWords, overlapAt } from './overlap.ts';

const shown = shownOnce<RotatedSecret>(() => import('./rotated-secret.tsx'));
const rotateShownSecret = shown.before(rotateSecret, 'the secret was not rotated');

/** The page, or instead of it the new secret right after a rotation. */
export const SecretStep = shown.Step;

export interface ProjectSecretProps {
  /** ISO 8601. It identifies the current secret. */
  secretCreatedAt: string;
  previousExpiresAt: string | null;
}

export function RotateSecret({ secretCreatedAt, previousExpiresAt }: ProjectSecretProps) {
  const show = shown.useShow();
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  return (
    <ConfirmAction
      onOpen={shown.prepare}
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
      hidden={{ replaces: secretCreatedAt }}
      onDone={show}
      cancel="Keep secret"
      confirm="Rotate secret"
      isDangerous={overlap !== null}
    >
      <StillUsed of={{}} as={overlap ? 'secret' : 'project'} />
      {overlap && <DropsPrevious />}
    </ConfirmAction>
  );
}

function DropsPrevious() {
  const { errorOf } = useActionForm();
  return (
    <>
      <Checkbox
        name="dropsPrevious"
        value="yes"
        aria-invalid={errorOf('dropsPrevious') ? true : undefined}
        label="No server uses the previous secret any more, or it may stop working."
      />
      <FieldError field="dropsPrevious" className="mt-2" />
    </>
  );
}

/** Ends the previous secret before its time; nothing if none is accepted. */
export function EndPreviousSecret({ secretCreatedAt, previousExpiresAt }: ProjectSecretProps) {
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  if (overlap === null) return null;
  return (
    <ConfirmAction
      trigger={<Button size="sm">End previous secret now…</Button>}
      title="End the previous secret now?"
      description={
        <p>
          It ends {durationWords(overlap.remainingMs)} early: from the next request on, servers that
          still use it are answered with 401. The current secret is not affected.{' '}
          <strong className="font-semibold text-ink">This cannot be undone.</strong>
        </p>
      }
      action={endOldSecret}
      hidden={{ current: secretCreatedAt }}
      done={{ title: 'Previous secret ended' }}
      cancel="Keep it"
      confirm="End previous secret"
    >
      <StillUsed of={{}} as="secret" />
    </ConfirmAction>
  );
}
