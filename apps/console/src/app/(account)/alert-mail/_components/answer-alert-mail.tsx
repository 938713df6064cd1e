'use client';

import { useState } from 'react';
import { ActionButton } from '#components/submit-form.tsx';
import { Name } from '#components/ui/name.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import {
  confirmAlerts,
  readAlertMail,
  type ShownAlertMail,
  unsubscribeFromAlerts,
} from '../actions.ts';

/** Says which alerts a mail was about, and lets its recipient confirm or end them. */
export const AnswerAlertMail = () => (
  <LinkGate
    field="mailSecret"
    read={readAlertMail}
    incomplete="Open the whole link of the mail. It ends with a long text after a #."
  >
    {(mail, mailSecret) => <Answer {...mail} mailSecret={mailSecret} />}
  </LinkGate>
);

function Answer({
  projectName,
  address,
  mayConfirm,
  mailSecret,
  ...before
}: ShownAlertMail & { mailSecret: string }) {
  const [answer, setAnswer] = useState(before.answer);
  return (
    <div className="grid gap-6">
      <div className="card">
        <p className="wrap-anywhere">
          Alerts of the project{' '}
          <span className="font-medium">
            <Name>{projectName}</Name>
          </span>
          {address !== null && (
            <>
              {' '}
              to <span className="font-medium">{address}</span>
            </>
          )}
        </p>
        <p aria-live="polite" className="mt-2 text-small text-muted">
          {STATES[answer ?? 'none']}
        </p>
      </div>
      {answer !== 'confirmed' && mayConfirm && (
        <ActionButton
          action={confirmAlerts}
          hidden={{ mailSecret }}
          onDone={() => setAnswer('confirmed')}
          variant="primary"
          className="w-full"
        >
          Send me these alerts
        </ActionButton>
      )}
      {answer !== 'unsubscribed' && (
        <ActionButton
          action={unsubscribeFromAlerts}
          hidden={{ mailSecret }}
          onDone={() => setAnswer('unsubscribed')}
          className="w-full"
        >
          {answer === 'confirmed' ? 'Unsubscribe' : 'Refuse, and do not ask again'}
        </ActionButton>
      )}
    </div>
  );
}

const STATES = {
  none: 'Nothing is sent unless you confirm it.',
  confirmed: 'Confirmed. Each alert has a link with which you can unsubscribe.',
  unsubscribed: 'Unsubscribed. Nothing more is sent.',
} as const;
