'use client';

import { type ActionState, IDLE, refused, typedValues } from '#lib/action-state.ts';
import { beginPasskey, finishPasskey } from '../passkey-actions.ts';

/**
 * Proves the user, lets the browser create a passkey and adds it, in one go. It has the shape of a
 * server action but runs in the browser, which has the authenticator.
 */
export async function createPasskey(_state: ActionState, form: FormData): Promise<ActionState> {
  const begun = await beginPasskey(IDLE, form);
  if (begun.kind !== 'done') return begun;
  const { startRegistration } = await import('@simplewebauthn/browser');
  const finish = new FormData();
  finish.set('name', String(form.get('name') ?? ''));
  try {
    finish.set('answer', JSON.stringify(await startRegistration({ optionsJSON: begun.data })));
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    return refused('invalid', {
      message: isKnown ? KNOWN : NOT_CREATED,
      values: typedValues(form),
    });
  }
  return finishPasskey(IDLE, finish);
}

const KNOWN = 'This device has a passkey for your account already.';
const NOT_CREATED = 'The browser created no passkey, or you canceled it. Nothing was changed.';
