import { endOfWindow } from '@ceiba/domain';
import type { ApiKeyRow } from '@ceiba/schema';
import { NoteLink, type NoteListProps } from '#components/ui/note-list.tsx';
import {
  customerNotes,
  usedUpNote,
} from '../../../customers/[customerId]/_components/customer-notes.tsx';
import { KeyStepButton } from '../../_components/key-dialogs.tsx';
import type { KeyCustomer } from '../../key-customer.ts';
import { targetOf, usedUpQuotaOf } from '../../key-state.ts';

export interface KeyNotesInput {
  projectId: string;
  apiKey: ApiKeyRow;
  /** Null for none. */
  customer: KeyCustomer | null;
  mayChange: boolean;
  mayChangeCustomers: boolean;
}

/**
 * What of its customer and of its own quotas denies the next call of a key, each with the step that helps;
 * nothing if the key is not active.
 */
export function keyNotes(input: KeyNotesInput): NoteListProps['notes'] {
  const { projectId, apiKey, customer, mayChange, mayChangeCustomers } = input;
  if (apiKey.status !== 'active') return [];
  const ofCustomer =
    customer === null
      ? []
      : customerNotes(
          customer,
          customer.use,
          'key',
          (step, label) =>
            mayChangeCustomers && (
              <NoteLink href={`/projects/${projectId}/customers/${customer.customerId}#${step}`}>
                {label}
              </NoteLink>
            ),
        );
  const usedUp = usedUpQuotaOf(apiKey);
  if (usedUp === null) return ofCustomer;
  const until = new Date(endOfWindow(usedUp.window, Date.now()));
  const own = {
    ...usedUpNote(usedUp, until, 'this key'),
    short: 'Its own quota used up',
    step: mayChange && (
      <KeyStepButton
        opens={{ step: 'limits', target: targetOf(apiKey) }}
        size="sm"
        variant="secondary"
      >
        Raise its limits
      </KeyStepButton>
    ),
  };
  return [...ofCustomer, own];
}
