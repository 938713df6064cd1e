'use client';

import { SecretReveal } from '#components/ui/secret-reveal.tsx';

export interface RecoveryCodesProps {
  codes: readonly string[];
  /** What has changed. */
  news: string;
  onDone: () => void;
}

/** Shows the recovery codes, once. */
export default function RecoveryCodes({ codes, news, onDone }: RecoveryCodesProps) {
  return (
    <div className="grid gap-4">
      <p>
        {news} Without the app, each of these codes signs you in once in place of its six digits.
        Keep them where you do not keep the app.
      </p>
      <SecretReveal
        name="list of recovery codes"
        secret={codes.join('\n')}
        fileName="ceiba-recovery.txt"
        onDone={onDone}
      />
    </div>
  );
}
