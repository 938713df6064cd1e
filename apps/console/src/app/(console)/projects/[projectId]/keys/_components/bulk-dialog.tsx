'use client';

import type { ChangeApiKeysResult, UnchangedApiKey } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Dialog, DialogClose, DialogFooter } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { NotYet, UseOfKey, useRecentUse } from '../../_components/still-used.tsx';
import { changeKeys } from '../actions.ts';
import type { BulkStep, SelectableKey } from '../key-state.ts';
import { ExpiryField } from './expiry-field.tsx';

const STEPS = {
  set_expiry: {
    question: 'Set the expiry of',
    meaning: 'It replaces the expiry that each of them has now.',
    button: 'Set expiry of',
    done: 'The expiry was set for',
  },
  archive: {
    question: 'Archive',
    meaning:
      'From the next request on, calls with them are denied as archived_api_key. They no longer count as active keys of the plan. This cannot be undone.',
    button: 'Archive',
    done: 'Archived',
  },
  revoke: {
    question: 'Revoke',
    meaning:
      'From the next request on, calls with them are denied as revoked_api_key. They no longer count as active keys of the plan. This cannot be undone.',
    button: 'Revoke',
    done: 'Revoked',
  },
} as const satisfies Record<BulkStep, Record<string, string>>;

export interface BulkDialogProps {
  step: BulkStep;
  keys: readonly SelectableKey[];
  onDone: () => void;
  onClose: () => void;
}

/** Asks once for all keys, then says which were not changed and why. */
export default function BulkDialog({ step, keys, onDone, onClose }: BulkDialogProps) {
  const toast = useToast();
  const [result, setResult] = useState<ChangeApiKeysResult>();
  const asked = useRecentUse({ keys: keys.map(({ apiKeyId }) => apiKeyId) });
  const uses = typeof asked === 'string' ? [] : asked;
  const usedToday = uses.filter(({ allowedToday }) => allowedToday > 0).length;
  const { question, meaning, button, done } = STEPS[step];
  if (result !== undefined) {
    return (
      <Refused
        title={`${done} ${plural(result.done, 'key')}`}
        refused={result.refused}
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmAction
      onClose={onClose}
      title={`${question} ${plural(keys.length, 'key')}?`}
      description={
        <>
          <p>{meaning}</p>
          <ul className="mt-2 max-h-40 list-disc overflow-y-auto pl-5 text-ink">
            {keys.map(({ apiKeyId, displayName }) => (
              <li key={apiKeyId} className="break-words">
                <Name>{displayName}</Name>
                {uses
                  .filter(({ id }) => id === apiKeyId)
                  .map((use) => (
                    <span key={use.id} className="block text-small text-muted">
                      <UseOfKey use={use} />
                    </span>
                  ))}
              </li>
            ))}
          </ul>
        </>
      }
      action={changeKeys}
      hidden={{
        change: step,
        apiKeyIds: keys.map(({ apiKeyId }) => apiKeyId).join(','),
      }}
      onDone={(settled) => {
        onDone();
        if (settled.refused.length > 0) return setResult(settled);
        toast({ title: `${done} ${plural(settled.done, 'key')}` });
        onClose();
      }}
      cancel="Cancel"
      confirm={`${button} ${plural(keys.length, 'key')}`}
      isDangerous={step !== 'set_expiry'}
    >
      <div role="status" className="mb-4">
        {typeof asked === 'string' ? (
          <NotYet asked={asked} />
        ) : (
          <Notice
            tone={usedToday > 0 ? 'warning' : 'info'}
            title={`${usedToday === 0 ? 'None' : formatCount(usedToday)} of them ${usedToday === 1 ? 'was' : 'were'} used today (UTC)`}
          />
        )}
      </div>
      {step === 'set_expiry' && <ExpiryField isBulk />}
    </ConfirmAction>
  );
}

const REASONS = {
  active: 'was changed in the meantime',
  revoked: 'was revoked in the meantime',
  archived: 'was archived in the meantime',
  not_found: 'no longer exists',
} as const satisfies Record<UnchangedApiKey['reason'], string>;

interface RefusedProps {
  title: string;
  refused: readonly UnchangedApiKey[];
  onClose: () => void;
}

function Refused({ title, refused, onClose }: RefusedProps) {
  return (
    <Dialog
      onClose={onClose}
      title={title}
      description={`${plural(refused.length, 'key')} could not be changed:`}
    >
      <ul className="max-h-60 list-disc overflow-y-auto pl-5">
        {refused.map(({ apiKeyId, displayName, reason }) => (
          <li key={apiKeyId} className="break-words">
            {displayName === null ? <code>{apiKeyId}</code> : <Name>{displayName}</Name>}{' '}
            <span className="text-muted">{REASONS[reason]}</span>
          </li>
        ))}
      </ul>
      <DialogFooter>
        <DialogClose variant="primary">Close</DialogClose>
      </DialogFooter>
    </Dialog>
  );
}
