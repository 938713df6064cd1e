'use client';

import { ConfirmAction } from '#components/action-dialog.tsx';
import { StillUsed } from '../../_components/still-used.tsx';
import { removePolicy } from '../actions.ts';

export interface PolicyTarget {
  policyId: string;
  /** `GET /v1/reports*`. */
  words: string;
  /** What becomes of its calls, in sentences. */
  effect: string;
}

/** Says what becomes of its calls before it deletes the policy. */
const DeletePolicyDialog = ({ target, onClose }: { target: PolicyTarget; onClose: () => void }) => (
  <ConfirmAction
    onClose={onClose}
    title="Delete this policy?"
    description={
      <>
        <p>
          <code className="text-small break-all text-ink">{target.words}</code>
        </p>
        <p className="mt-2 wrap-anywhere">
          {target.effect} If you add the policy again, its hit count starts at zero.
        </p>
      </>
    }
    action={removePolicy}
    hidden={{ policyId: target.policyId }}
    done={{ title: 'Policy deleted', description: target.words }}
    cancel="Keep policy"
    confirm="Delete policy"
  >
    <StillUsed of={{ policy: target.policyId }} as="policy" />
  </ConfirmAction>
);
export default DeletePolicyDialog;
