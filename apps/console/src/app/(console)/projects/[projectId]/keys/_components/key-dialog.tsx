'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { API_KEY_NOTE_LENGTH_MAX } from '@ceiba/domain/constants';
import type { ReactNode } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { CustomerField } from '#components/customer-field.tsx';
import { TextAreaField, TextField } from '#components/form-fields.tsx';
import { LimitFields } from '#components/limit-fields.tsx';
import { MetadataField } from '#components/metadata-field.tsx';
import { ScopeFields } from '#components/scope-fields.tsx';
import { named } from '#components/ui/name.tsx';
import { withUndo } from '#components/undo.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { legible } from '#lib/text.ts';
import { StillUsed } from '../../_components/still-used.tsx';
import { findCustomers } from '../../customers/actions.ts';
import { choiceOf } from '../../customers/customer-choice.ts';
import {
  archiveKey,
  describeKey,
  disableKey,
  enableKey,
  moveKey,
  revokeKey,
  setKeyExpiry,
  setKeyLimits,
  setKeyMetadata,
  setKeyScopes,
} from '../actions.ts';
import type { KeyDialogFacts, KeyTarget } from '../key-state.ts';
import { ExpiryField } from './expiry-field.tsx';
import { keyLimitHint } from './key-limits.ts';
import { EndOldSecret, ReplaceKey } from './replace-key.tsx';

/** What a dialog can do to a key. */
export type KeyStep = keyof typeof CHANGES | keyof typeof QUESTIONS | 'replace' | 'end_previous';

interface KeyDialogProps extends KeyDialogFacts {
  step: KeyStep;
  target: KeyTarget;
  onClose: () => void;
}

/** One change of one key: what it does, and whether it can be undone. */
export default function KeyDialog({ step, target, onClose, ...facts }: KeyDialogProps) {
  const dialog = { onClose, hidden: { apiKeyId: target.apiKeyId } };
  const about = legible(target.displayName);
  if (step === 'replace') return <ReplaceKey target={target} onClose={onClose} />;
  if (step === 'end_previous') return <EndOldSecret target={target} onClose={onClose} />;
  if (!isChange(step)) {
    return (
      <Confirm {...dialog} projectId={facts.projectId} target={target} about={about} step={step} />
    );
  }
  const { title, done, fields, ...change } = CHANGES[step];
  return (
    <FormDialog
      {...change}
      onClose={onClose}
      hidden={{ ...dialog.hidden, seen: JSON.stringify(target) }}
      title={title(target.displayName)}
      done={{ title: done, description: about }}
    >
      {fields(target, facts)}
    </FormDialog>
  );
}

interface Change {
  title: (displayName: string) => ReactNode;
  description: string;
  action: FormAction;
  submit: string;
  /** The message of a success. */
  done: string;
  fields: (target: KeyTarget, facts: KeyDialogFacts) => ReactNode;
}

/** The changes that have a form. */
const CHANGES = {
  describe: {
    title: (name) => named`Name and note of ${name}`,
    description:
      'Your API sees the name with every allowed call. Only this console shows the note.',
    action: describeKey,
    submit: 'Save',
    done: 'Name and note saved',
    fields: ({ displayName, note }) => (
      <>
        <TextField
          name="displayName"
          label="Name"
          initial={displayName}
          maxLength={DISPLAY_NAME_LENGTH_MAX}
        />
        <TextAreaField
          name="note"
          label="Note"
          optional
          hint="For example who has the key, or a ticket. Do not store the key itself here."
          initial={note}
          maxLength={API_KEY_NOTE_LENGTH_MAX}
        />
      </>
    ),
  },
  expiry: {
    title: (name) => named`Expiry of ${name}`,
    description: 'You can change this as long as the key is active, even after it has expired.',
    action: setKeyExpiry,
    submit: 'Set expiry',
    done: 'Expiry saved',
    fields: ({ apiKeyId, expiresAt }) => (
      <>
        <StillUsed of={{ keys: [apiKeyId] }} as="key" />
        <ExpiryField initial={expiresAt} />
      </>
    ),
  },
  limits: {
    title: (name) => named`Limits of ${name}`,
    description:
      'They apply in addition to the plan’s limits, from the next request on. Requests made so far still count.',
    action: setKeyLimits,
    submit: 'Set limits',
    done: 'Limits saved',
    fields: (target, { defaultRate }) => (
      <LimitFields initial={target} hintOf={keyLimitHint(defaultRate)} />
    ),
  },
  scopes: {
    title: (name) => named`Scopes of ${name}`,
    description:
      'They apply from the next request on. A call that they do not open is denied as policy_no_match.',
    action: setKeyScopes,
    submit: 'Set scopes',
    done: 'Scopes saved',
    fields: (
      { scopes, customer },
      { sets, planScopes = customer === null ? null : ('unknown' as const) },
    ) => <ScopeFields initial={scopes} sets={sets} planScopes={planScopes} />,
  },
  metadata: {
    title: (name) => named`Metadata of ${name}`,
    description: 'What your own systems keep with the key. It replaces what the key has now.',
    action: setKeyMetadata,
    submit: 'Save metadata',
    done: 'Metadata saved',
    fields: ({ metadata }) => <MetadataField initial={metadata} />,
  },
  move: {
    title: (name) => named`Customer of ${name}`,
    description:
      'From the next request on, calls count against this customer. What the key has used stays its former customer’s.',
    action: moveKey,
    submit: 'Move key',
    done: 'Key moved',
    fields: ({ customer }, { projectId }) => (
      // The list of the field needs room, which a dialog would cut off.
      <div className="min-h-80">
        <CustomerField
          projectId={projectId}
          initial={customer && choiceOf(customer)}
          search={findCustomers}
          hint="Type a part of its external ID or name. A new external ID creates the customer; empty for none."
        />
      </div>
    ),
  },
} as const satisfies Record<string, Change>;

const isChange = (step: KeyStep): step is keyof typeof CHANGES => step in CHANGES;

const ENDS = 'It no longer counts as an active key of the plan, and its usage stays in the charts.';
const FOR_GOOD = 'This cannot be undone.';

const QUESTIONS = {
  disable: {
    title: (name: string) => named`Disable ${name}?`,
    meaning:
      'From the next request on, calls with it are denied as expired_api_key until you enable it. It still counts as an active key of the plan.',
    warning: null,
    action: disableKey,
    button: 'Disable key',
    done: 'Key disabled',
    undo: { action: enableKey, done: 'Key enabled' },
  },
  enable: {
    title: (name: string) => named`Enable ${name}?`,
    meaning:
      'From the next request on, calls with it are allowed again, unless it is expired or another check denies them.',
    warning: null,
    action: enableKey,
    button: 'Enable key',
    done: 'Key enabled',
    undo: { action: disableKey, done: 'Key disabled' },
  },
  revoke: {
    title: (name: string) => named`Revoke ${name}?`,
    meaning: `Use this if the key may have leaked. From the next request on, calls with it are denied as revoked_api_key. ${ENDS}`,
    warning: FOR_GOOD,
    action: revokeKey,
    button: 'Revoke key',
    done: 'Key revoked',
    undo: null,
  },
  archive: {
    title: (name: string) => named`Archive ${name}?`,
    meaning: `Use this if the key is no longer needed. From the next request on, calls with it are denied as archived_api_key. ${ENDS}`,
    warning: FOR_GOOD,
    action: archiveKey,
    button: 'Archive key',
    done: 'Key archived',
    undo: null,
  },
} as const;

interface ConfirmProps {
  step: keyof typeof QUESTIONS;
  target: KeyTarget;
  about: string;
  hidden: Record<string, string>;
  projectId: string;
  onClose: () => void;
}

function Confirm({ step, target, about, projectId, hidden, onClose }: ConfirmProps) {
  const { title, meaning, warning, action, button, done, undo } = QUESTIONS[step];
  const message = { title: done, description: about };
  return (
    <ConfirmAction
      onClose={onClose}
      hidden={hidden}
      title={title(target.displayName)}
      description={
        <>
          <p>
            <code className="text-small text-ink">{target.keyPrefix}…</code>
          </p>
          <p className="mt-2">
            {meaning} {warning && <strong className="font-semibold text-ink">{warning}</strong>}
          </p>
        </>
      }
      action={action}
      done={undo ? withUndo(message, { ...undo, fields: { projectId, ...hidden } }) : message}
      cancel={step === 'enable' ? 'Keep disabled' : 'Keep key'}
      confirm={button}
      isDangerous={step !== 'enable'}
    >
      {step !== 'enable' && <StillUsed of={{ keys: [target.apiKeyId] }} as="key" />}
    </ConfirmAction>
  );
}
