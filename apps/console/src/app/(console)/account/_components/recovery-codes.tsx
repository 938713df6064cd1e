'use client';

import type { ShownOnceProps } from '#components/shown-once.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import type { NewRecoveryCodes } from '../second-factor-actions.ts';

/** Shows the recovery codes, once. */
export default function RecoveryCodes({
  created: { recoveryCodes, isRenewal },
  onDone,
}: ShownOnceProps<NewRecoveryCodes>) {
  return (
    <div className="grid gap-4">
      <p>
        {isRenewal ? 'The earlier recovery codes no longer work.' : 'The second factor is on.'}{' '}
        Without the app, each of these codes signs you in once in place of its six digits. Keep them
        where you do not keep the app.
      </p>
      <SecretReveal
        name="list of recovery codes"
        secret={recoveryCodes.join('\n')}
        fileName="ceiba-recovery.txt"
        onDone={onDone}
      />
    </div>
  );
}
