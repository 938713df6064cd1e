'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { API_KEY_NOTE_LENGTH_MAX } from '@ceiba/domain/constants';
import type { ReactNode } from 'react';
import { ActionForm, type ActionFormParts } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { TextAreaField, TextField } from '#components/form-fields.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { useToast } from '#components/ui/toast.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { legible } from '#lib/text.ts';
import {
  archiveKey,
  describeKey,
  disableKey,
  enableKey,
  revokeKey,
  setKeyExpiry,
  setKeyLimits,
} from '../actions.ts';
import type { KeyTarget } from '../key-state.ts';
import { ExpiryField } from './expiry-field.tsx';
import { LimitFields } from './limit-fields.tsx';

/** What a dialog can do to a key. */
export type KeyStep =
  | 'describe'
  | 'expiry'
  | 'limits'
  | 'disable'
  | 'enable'
  | 'revoke'
  | 'archive';

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
    case 'describe':
      return <DescribeDialog {...rest} />;
    case 'disable':
    case 'enable':
    case 'revoke':
    case 'archive':
      return <ConfirmDialog step={step} {...rest} />;
  }
}

type StepProps = Omit<KeyDialogProps, 'step'>;

function DescribeDialog(props: StepProps) {
  return (
    <ChangeDialog
      {...props}
      title={
        <>
          Name and note of <Name>{props.target.displayName}</Name>
        </>
      }
      description="Your API sees the name with every allowed call. Only this console shows the note."
      action={describeKey}
      button="Save"
      done="Name and note saved"
    >
      {(parts) => (
        <div className="grid gap-4">
          <TextField
            parts={parts}
            name="displayName"
            label="Name"
            initial={props.target.displayName}
            maxLength={DISPLAY_NAME_LENGTH_MAX}
          />
          <TextAreaField
            parts={parts}
            name="note"
            label="Note"
            optional
            hint="For example who has the key, or a ticket. Do not store the key itself here."
            initial={props.target.note}
            maxLength={API_KEY_NOTE_LENGTH_MAX}
          />
        </div>
      )}
    </ChangeDialog>
  );
}

function ExpiryDialog(props: StepProps) {
  return (
    <ChangeDialog
      {...props}
      title={
        <>
          Expiry of <Name>{props.target.displayName}</Name>
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
            <DialogButtons label={button} pending={parts.pending} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}

const ENDS = 'It no longer counts as an active key of the plan, and its usage stays in the charts.';
const FOR_GOOD = 'This cannot be undone.';

const QUESTIONS = {
  disable: {
    question: 'Disable',
    meaning:
      'From the next request on, calls with it are denied as expired_api_key until you enable it. It still counts as an active key of the plan.',
    warning: null,
    action: disableKey,
    button: 'Disable key',
    done: 'Key disabled',
  },
  enable: {
    question: 'Enable',
    meaning:
      'From the next request on, calls with it are allowed again, unless it is expired or another check denies them.',
    warning: null,
    action: enableKey,
    button: 'Enable key',
    done: 'Key enabled',
  },
  revoke: {
    question: 'Revoke',
    meaning: `Use this if the key may have leaked. From the next request on, calls with it are denied as revoked_api_key. ${ENDS}`,
    warning: FOR_GOOD,
    action: revokeKey,
    button: 'Revoke key',
    done: 'Key revoked',
  },
  archive: {
    question: 'Archive',
    meaning: `Use this if the key is no longer needed. From the next request on, calls with it are denied as archived_api_key. ${ENDS}`,
    warning: FOR_GOOD,
    action: archiveKey,
    button: 'Archive key',
    done: 'Key archived',
  },
} as const;

function ConfirmDialog({
  step,
  target,
  projectId,
  onClose,
}: StepProps & { step: keyof typeof QUESTIONS }) {
  const toast = useToast();
  const { question, meaning, warning, action, button, done } = QUESTIONS[step];
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
            {meaning}
            {warning && (
              <>
                {' '}
                <strong className="font-semibold text-ink">{warning}</strong>
              </>
            )}
          </p>
        </>
      }
      action={action}
      hidden={{ projectId, apiKeyId: target.apiKeyId }}
      onDone={() => {
        toast({ title: done, description: legible(target.displayName) });
        onClose();
      }}
      cancel={step === 'enable' ? 'Keep disabled' : 'Keep key'}
      confirm={button}
      isDangerous={step !== 'enable'}
    />
  );
}
