'use client';

import type { ReactNode } from 'react';
import { ActionForm, type ActionFormParts } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import {
  AlertDialog,
  AlertDialogCancel,
  Dialog,
  DialogClose,
  DialogFooter,
} from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { useToast } from '#components/ui/toast.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { legible } from '#lib/text.ts';
import { archiveKey, revokeKey, setKeyExpiry, setKeyLimits } from '../actions.ts';
import { ExpiryField } from './expiry-field.tsx';
import { LimitFields } from './limit-fields.tsx';

/** What is done to a key in a step of its own. */
export type KeyStep = 'expiry' | 'limits' | 'revoke' | 'archive';

/** What a step has to know of the key. */
export interface KeyTarget {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  /** ISO 8601; null when it never expires. */
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

/** One thing to do to one key: what it means, and whether it can be undone. */
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
      description="You can change this for as long as the key is active, also after it has expired."
      action={setKeyExpiry}
      button="Set expiry"
      done="The expiry is set"
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
      description="They hold beside the plan’s, from the next request on. What is used already still counts. You can change them at any time."
      action={setKeyLimits}
      button="Set limits"
      done="The limits are set"
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
      'For a key that may be in the wrong hands. Calls with it are denied from the next request on, as a revoked key.',
    action: revokeKey,
    button: 'Revoke key',
    done: 'The key is revoked',
  },
  archive: {
    question: 'Archive',
    meaning:
      'For a key that is finished with. Calls with it are denied from the next request on, as an archived key.',
    action: archiveKey,
    button: 'Archive key',
    done: 'The key is archived',
  },
} as const;

function EndDialog({ step, target, projectId, onClose }: StepProps & { step: keyof typeof ENDS }) {
  const toast = useToast();
  const { question, meaning, action, button, done } = ENDS[step];
  return (
    <AlertDialog
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
            {meaning} Its place under the plan’s cap becomes free, and its usage stays in the
            charts. <strong className="font-semibold text-ink">This cannot be undone.</strong>
          </p>
        </>
      }
    >
      <ActionForm
        action={action}
        hidden={{ projectId, apiKeyId: target.apiKeyId }}
        onDone={() => {
          toast({ title: done, description: legible(target.displayName) });
          onClose();
        }}
      >
        {({ pending }) => (
          <DialogFooter>
            <AlertDialogCancel asChild>
              <Button>Keep key</Button>
            </AlertDialogCancel>
            <Button type="submit" variant="danger" pending={pending}>
              {button}
            </Button>
          </DialogFooter>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
