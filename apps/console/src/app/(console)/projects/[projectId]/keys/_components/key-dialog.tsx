'use client';

import type { ReactNode } from 'react';
import { ActionForm, type ActionFormParts } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog, DialogClose, DialogFooter } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { useToast } from '#components/ui/toast.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { legible } from '#lib/text.ts';
import { archiveKey, revokeKey, setKeyExpiry, setKeyLimits } from '../actions.ts';
import { ExpiryField } from './expiry-field.tsx';
import { LimitFields } from './limit-fields.tsx';

/** What a dialog can do to a key. */
export type KeyStep = 'expiry' | 'limits' | 'revoke' | 'archive';

/** What a dialog needs to know about the key. */
export interface KeyTarget {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  /** ISO 8601; null if it never expires. */
  expiresAt: string | null;
  rateLimitPerMinute: number | null;
  monthlyQuota: number | null;
}

interface KeyDialogProps {
  step: KeyStep;
  target: KeyTarget;
  projectId: string;
  defaultRate: number | null;
  onClose: () => void;
}

/** One change of one key: what it does, and whether it can be undone. */
export default function KeyDialog({ step, ...rest }: KeyDialogProps) {
  switch (step) {
    case 'expiry':
      return <ExpiryDialog {...rest} />;
    case 'limits':
      return <LimitsDialog {...rest} />;
    case 'revoke':
    case 'archive':
      return <EndDialog step={step} {...rest} />;
  }
}

type StepProps = Omit<KeyDialogProps, 'step'>;

function ExpiryDialog(props: StepProps) {
  return (
    <ChangeDialog
      {...props}
      title={
        <>
          When <Name>{props.target.displayName}</Name> expires
        </>
      }
      description="You can change this as long as the key is active, even after it has expired."
      action={setKeyExpiry}
      button="Set expiry"
      done="Expiry saved"
    >
      {(parts) => <ExpiryField parts={parts} initial={props.target.expiresAt} />}
    </ChangeDialog>
  );
}

function LimitsDialog(props: StepProps) {
  return (
    <ChangeDialog
      {...props}
      title={
        <>
          Limits of <Name>{props.target.displayName}</Name>
        </>
      }
      description="They apply in addition to the plan’s limits, from the next request on. Requests made so far still count."
      action={setKeyLimits}
      button="Set limits"
      done="Limits saved"
    >
      {(parts) => (
        <LimitFields parts={parts} initial={props.target} defaultRate={props.defaultRate} />
      )}
    </ChangeDialog>
  );
}

interface ChangeDialogProps extends StepProps {
  title: ReactNode;
  description: string;
  action: FormAction;
  button: string;
  done: string;
  children: (parts: ActionFormParts<null>) => ReactNode;
}

function ChangeDialog(props: ChangeDialogProps) {
  const { target, projectId, action, button, done, onClose, children } = props;
  const toast = useToast();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={props.title}
      description={props.description}
    >
      <ActionForm
        action={action}
        hidden={{ projectId, apiKeyId: target.apiKeyId }}
        onDone={() => {
          toast({ title: done, description: legible(target.displayName) });
          onClose();
        }}
      >
        {(parts) => (
          <>
            {children(parts)}
            <DialogFooter>
              <DialogClose asChild>
                <Button>Cancel</Button>
              </DialogClose>
              <Button type="submit" variant="primary" pending={parts.pending}>
                {button}
              </Button>
            </DialogFooter>
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}

const ENDS = {
  revoke: {
    question: 'Revoke',
    meaning:
      'Use this if the key may have leaked. From the next request on, calls with it are denied as revoked_api_key.',
    action: revokeKey,
    button: 'Revoke key',
    done: 'Key revoked',
  },
  archive: {
    question: 'Archive',
    meaning:
      'Use this if the key is no longer needed. From the next request on, calls with it are denied as archived_api_key.',
    action: archiveKey,
    button: 'Archive key',
    done: 'Key archived',
  },
} as const;

function EndDialog({ step, target, projectId, onClose }: StepProps & { step: keyof typeof ENDS }) {
  const toast = useToast();
  const { question, meaning, action, button, done } = ENDS[step];
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          {question} <Name>{target.displayName}</Name>?
        </>
      }
      description={
        <>
          <p>
            <code className="text-small text-ink">{target.keyPrefix}…</code>
          </p>
          <p className="mt-2">
            {meaning} It no longer counts as an active key of the plan, and its usage stays in the
            charts. <strong className="font-semibold text-ink">This cannot be undone.</strong>
          </p>
        </>
      }
      action={action}
      hidden={{ projectId, apiKeyId: target.apiKeyId }}
      onDone={() => {
        toast({ title: done, description: legible(target.displayName) });
        onClose();
      }}
      cancel="Keep key"
      confirm={button}
    />
  );
}
