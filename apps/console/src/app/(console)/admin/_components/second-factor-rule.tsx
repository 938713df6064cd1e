'use client';

import type { SecondFactorRule as Rule } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { Button, ButtonLink } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { plural } from '#lib/format.ts';
import { saveSecondFactorRule } from '../actions.ts';

export interface SecondFactorRuleProps extends Rule {
  /** Whether the viewer has a second factor, without which they cannot require one. */
  hasOwn: boolean;
  /** Whether the viewer has a password, which the change asks for; else a fresh sign-in counts. */
  needsPassword: boolean;
}

/** Whether the installation requires a second factor. The dialog is outside what ends with the rule. */
export function SecondFactorRule({ hasOwn, needsPassword, ...rule }: SecondFactorRuleProps) {
  const { isRequired, accounts, without } = rule;
  const [asks, setAsks] = useState<'yes' | 'no'>();
  const dialog = {
    onClose: () => setAsks(undefined),
    action: saveSecondFactorRule,
    children: needsPassword && <CurrentPassword />,
  };
  const missing = `${plural(without, 'account')} of ${accounts} ${without === 1 ? 'has' : 'have'} none.`;
  return (
    <div className="grid gap-4">
      <p>
        <span className="font-medium">{isRequired ? 'Required.' : 'Optional.'}</span> {missing}
      </p>
      {!isRequired && !hasOwn && (
        <Notice
          title="Your account has no second factor"
          action={<ButtonLink href="/account">Set one up</ButtonLink>}
        >
          Set one up before you require it, or you lock yourself out.
        </Notice>
      )}
      <div>
        {isRequired ? (
          <Button onClick={() => setAsks('no')}>Make it optional…</Button>
        ) : (
          <Button variant="primary" disabled={!hasOwn} onClick={() => setAsks('yes')}>
            Require a second factor…
          </Button>
        )}
      </div>
      {asks === 'yes' && (
        <ConfirmAction
          {...dialog}
          title="Require a second factor?"
          description={`${missing} From their next request on these users can set one up and do nothing else, and their access tokens are refused. Where an account has a passkey and no authenticator app, its password alone no longer signs in.`}
          hidden={{ isRequired: 'yes' }}
          done={{ title: 'A second factor is required' }}
          cancel="Cancel"
          confirm="Require it"
          isDangerous={false}
        />
      )}
      {asks === 'no' && (
        <ConfirmAction
          {...dialog}
          title="Make the second factor optional?"
          description="A password alone then signs in to accounts without an authenticator app. Second factors that are set up stay on."
          hidden={{ isRequired: 'no' }}
          done={{ title: 'The second factor is optional' }}
          cancel="Keep it required"
          confirm="Make it optional"
        />
      )}
    </div>
  );
}
