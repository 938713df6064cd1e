'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import {
  confirmAlerts,
  readAlertMail,
  type ShownAlertMail,
  unsubscribeFromAlerts,
} from '../actions.ts';

/** Says which alerts a mail was about, and lets its recipient confirm or end them. */
export function AnswerAlertMail() {
  return (
    <LinkGate
      field="mailSecret"
      read={readAlertMail}
      incomplete="Open the whole link of the mail. It ends with a long text after a #."
    >
      {(mail, mailSecret) => <Answer mail={mail} mailSecret={mailSecret} />}
    </LinkGate>
  );
}

function Answer({ mail, mailSecret }: { mail: ShownAlertMail; mailSecret: string }) {
  const { projectName, address, mayConfirm } = mail;
  const [answer, setAnswer] = useState(mail.answer);
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
        <ActionForm
          action={confirmAlerts}
          hidden={{ mailSecret }}
          onDone={() => setAnswer('confirmed')}
        >
          {({ pending }) => (
            <Button type="submit" variant="primary" className="w-full" pending={pending}>
              Send me these alerts
            </Button>
          )}
        </ActionForm>
      )}
      {answer !== 'unsubscribed' && (
        <ActionForm
          action={unsubscribeFromAlerts}
          hidden={{ mailSecret }}
          onDone={() => setAnswer('unsubscribed')}
        >
          {({ pending }) => (
            <Button type="submit" className="w-full" pending={pending}>
              {answer === 'confirmed' ? 'Unsubscribe' : 'Refuse, and do not ask again'}
            </Button>
          )}
        </ActionForm>
      )}
    </div>
  );
}

const STATES = {
  none: 'Nothing is sent unless you confirm it.',
  confirmed: 'Confirmed. Each alert has a link with which you can unsubscribe.',
  unsubscribed: 'Unsubscribed. Nothing more is sent.',
} as const;
