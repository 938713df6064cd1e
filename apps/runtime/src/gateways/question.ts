import type { Credential } from '@ceiba/contract/credential';
import type { Question } from '../decision/call.ts';
import type { OriginalRequestReading } from './original-request.ts';

/** No key looks like this: two different keys do not say whose request it is, as in the SDK. */
const CONFLICTING = 'two credentials';

/** What a gateway asks, from the credential and the request that its caller sent. */
export function questionOf(credential: Credential, original: OriginalRequestReading): Question {
  const apiKey = textOf(credential);
  if (original.kind === 'unclear') {
    return { apiKey, method: 'UNKNOWN', path: '', problem: original.problem };
  }
  const { method, target } = original.request;
  return { apiKey, method, path: target };
}

function textOf(credential: Credential): string | null {
  switch (credential.kind) {
    case 'key':
      return credential.apiKey;
    case 'conflicting':
      return CONFLICTING;
    case 'missing':
      return null;
  }
}
