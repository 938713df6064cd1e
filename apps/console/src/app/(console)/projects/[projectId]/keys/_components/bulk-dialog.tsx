'use client';

import type { ChangeApiKeysResult, UnchangedApiKey } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Dialog, DialogClose, DialogFooter } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { withUndo } from '#components/undo.tsx';
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
  enable: {
    question: 'Enable',
    meaning:
      'From the next request on, calls with them are allowed again, unless they are expired or another check denies them.',
    button: 'Enable',
    done: 'Enabled',
  },
  disable: {
    question: 'Disable',
    meaning:
      'From the next request on, calls with them are denied as expired_api_key until you enable them. They still count as active keys of the plan.',
    button: 'Disable',
    done: 'Disabled',
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

/** What takes a change back, if anything does. */
const BACK: { [Step in BulkStep]?: BulkStep } = { disable: 'enable', enable: 'disable' };

export interface BulkDialogProps {
  projectId: string;
  /** Which keys the list has: one that it would no longer show is left as it is. */
  filter: string;
  step: BulkStep;
  keys: readonly SelectableKey[];
  onDone: () => void;
  onClose: () => void;
}

/** Asks once for all keys, then says which were not changed and why. */
export default function BulkDialog(props: BulkDialogProps) {
  const { projectId, filter, step, keys, onDone, onClose } = props;
  const toast = useToast();
  const [result, setResult] = useState<ChangeApiKeysResult>();
  const asked = useRecentUse({ keys: keys.map(({ apiKeyId }) => apiKeyId) });
  const uses = typeof asked === 'string' ? [] : asked;
  const usedToday = uses.filter(({ allowedToday }) => allowedToday > 0).length;
  const { question, meaning, button, done } = STEPS[step];

  function close({ done: count, changed }: ChangeApiKeysResult) {
    const message = { title: `${done} ${plural(count, 'key')}` };
    const back = BACK[step];
    toast(
      back === undefined || changed.length === 0
        ? message
        : withUndo<ChangeApiKeysResult>(message, {
            action: changeKeys,
            fields: { projectId, change: back, apiKeyIds: changed.join() },
            done: (taken) => `${STEPS[back].done} ${plural(taken.done, 'key')}`,
          }),
    );
    onClose();
  }

  if (result !== undefined) {
    return (
      <Refused
        title={`${done} ${plural(result.done, 'key')}`}
        refused={result.refused}
        onClose={() => close(result)}
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
          {/* The keyboard scrolls it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
          <ul tabIndex={0} className="mt-2 max-h-40 list-disc overflow-y-auto pl-5 text-ink">
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
        filter,
        apiKeyIds: keys.map(({ apiKeyId }) => apiKeyId).join(','),
      }}
      onDone={(settled) => {
        onDone();
        if (settled.refused.length > 0) return setResult(settled);
        close(settled);
      }}
      cancel="Cancel"
      confirm={`${button} ${plural(keys.length, 'key')}`}
      isDangerous={step !== 'set_expiry' && step !== 'enable'}
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
  unmatched: 'no longer matches the filter of the list',
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
