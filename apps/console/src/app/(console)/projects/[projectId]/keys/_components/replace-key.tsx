'use client';

import { OVERLAP_SECONDS_MAX } from '@ceiba/contract/sets';
import { useEffect, useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { useActionForm } from '#components/action-form.tsx';
import { FieldError } from '#components/form-fields.tsx';
import { InputField, SelectField } from '#components/ui/field.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { named } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { AbsoluteTime, LastUse, useClock } from '#components/ui/time.tsx';
import { legible } from '#lib/text.ts';
import { relativeTime } from '#lib/time.ts';
import { StillUsed } from '../../_components/still-used.tsx';
import { endOldKeySecret } from '../actions.ts';
import type { KeyTarget } from '../key-state.ts';
import { prepareReplaced, replaceShownKey, useShowReplaced } from './replace-step.tsx';

interface KeyDialogProps {
  target: KeyTarget;
  onClose: () => void;
}

/** Gives a key a new secret, which is shown once, and lets the old one work for a while. */
export function ReplaceKey({ target, onClose }: KeyDialogProps) {
  const show = useShowReplaced();
  const { apiKeyId, displayName, keyPrefix } = target;
  useEffect(prepareReplaced, []);
  return (
    <FormDialog
      onClose={onClose}
      title={named`Replace ${displayName}?`}
      description={
        <>
          The key gets a new secret, which is shown once. Its ID, limits, usage and customer stay.
          The current one is <code className="text-small text-ink">{keyPrefix}…</code>.
        </>
      }
      action={replaceShownKey}
      hidden={{ apiKeyId, keyPrefix }}
      onDone={show}
      submit="Replace key"
    >
      <StillUsed of={{ keys: [apiKeyId] }} as="key" />
      <Overlap expiresAt={target.expiresAt} />
      <DropsPrevious previous={target.previous} />
    </FormDialog>
  );
}

const HOUR = 3_600;
const OWN = 'own';
const OVERLAPS = [
  ['0', 'Not at all: it ends at once'],
  [String(HOUR), 'For 1 hour'],
  [String(24 * HOUR), 'For 24 hours'],
  [String(7 * 24 * HOUR), 'For 7 days'],
  [String(30 * 24 * HOUR), 'For 30 days'],
  [OWN, 'For another time'],
] as const;

/** How long the current secret works on, and what that means for its caller. */
function Overlap({ expiresAt }: { expiresAt: string | null }) {
  const { errorOf } = useActionForm();
  const [choice, setChoice] = useState(String(24 * HOUR));
  const [hours, setHours] = useState('');
  const seconds = choice === OWN ? Math.round(Number(hours || Number.NaN) * HOUR) : Number(choice);
  return (
    <>
      <input type="hidden" name="overlapSeconds" value={Number.isNaN(seconds) ? '' : seconds} />
      <SelectField
        name="overlap"
        data-field="overlapSeconds"
        label="The current secret still works"
        error={choice === OWN ? undefined : errorOf('overlapSeconds')}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
        options={OVERLAPS}
      />
      {choice === OWN && (
        <InputField
          name="overlapHours"
          data-field="overlapSeconds"
          label="Hours"
          inputMode="decimal"
          className="numbers"
          autoComplete="off"
          hint={`At most ${OVERLAP_SECONDS_MAX / HOUR}, which are 30 days.`}
          error={errorOf('overlapSeconds')}
          value={hours}
          onChange={(event) => setHours(event.target.value)}
        />
      )}
      <OverlapEffect seconds={seconds} expiresAt={expiresAt} />
    </>
  );
}

function OverlapEffect({ seconds, expiresAt }: { seconds: number; expiresAt: string | null }) {
  const { now } = useClock();
  const end = new Date(now.getTime() + seconds * 1_000);
  if (Number.isNaN(end.getTime())) return null;
  const isCutShort = expiresAt !== null && new Date(expiresAt) < end;
  return (
    <p aria-live="polite" className="text-small text-muted">
      {seconds === 0 ? (
        <strong className="font-medium text-limit-text">
          From the next request on, calls with the current secret are denied as invalid_api_key.
        </strong>
      ) : isCutShort ? (
        <strong className="font-medium text-limit-text">
          The key expires before that, {relativeTime(new Date(expiresAt), now)}: then neither secret
          works.
        </strong>
      ) : (
        <>
          It works until <AbsoluteTime at={end} />. Revoking or disabling the key ends both.
        </>
      )}
    </p>
  );
}

/** A third secret would end the one before the last replacement. */
function DropsPrevious({ previous }: Pick<KeyTarget, 'previous'>) {
  const { errorOf } = useActionForm();
  const { now } = useClock();
  const isValid = previous !== null && new Date(previous.validUntil) > now;
  // It may have been replaced after the page was loaded.
  if (!isValid && errorOf('confirm') === undefined) return null;
  return (
    <Notice tone="warning" title="This ends the old secret">
      {isValid && (
        <p>
          <code className="text-small">{previous.keyPrefix}…</code> would work until{' '}
          <AbsoluteTime at={previous.validUntil} />,{' '}
          <LastUse at={previous.lastUsedAt} none="not used since" />. A key has at most two secrets,
          so its calls are denied from the next request on.
        </p>
      )}
      <div className="mt-3">
        <Checkbox
          name="confirm"
          value="yes"
          aria-invalid={errorOf('confirm') ? true : undefined}
          label="No caller uses the old secret any more, or it may stop working."
        />
      </div>
      <FieldError field="confirm" className="mt-2" />
    </Notice>
  );
}

/** Ends the secret before the last replacement; says who still uses it. */
export function EndOldSecret({ target, onClose }: KeyDialogProps) {
  const { apiKeyId, displayName, previous } = target;
  if (previous === null) return null;
  return (
    <ConfirmAction
      onClose={onClose}
      title={named`End the old secret of ${displayName} now?`}
      description={
        <>
          <p>
            <code className="text-small text-ink">{previous.keyPrefix}…</code> would work until{' '}
            <AbsoluteTime at={previous.validUntil} />.
          </p>
          <p className="mt-2">
            From the next request on, calls with it are denied as invalid_api_key. The current
            secret is not affected.{' '}
            <strong className="font-semibold text-ink">This cannot be undone.</strong>
          </p>
        </>
      }
      action={endOldKeySecret}
      hidden={{ apiKeyId, keyPrefix: previous.keyPrefix }}
      done={{ title: 'Old secret ended', description: legible(displayName) }}
      cancel="Keep it"
      confirm="End old secret"
    >
      <StillUsed of={{ keys: [apiKeyId] }} as="previous" />
    </ConfirmAction>
  );
}
