import type { Credential } from '@ceiba/contract/credential';
import type { Asked } from '../decision/call.ts';
import { GatewayMistake } from './cost.ts';
import type { OriginalRequestReading } from './original-request.ts';

/** No key looks like this: two different keys do not say whose request it is, as in the SDK. */
const CONFLICTING = 'two credentials';

/**
 * What a gateway asks, from the credential and the request that its caller sent.
 *
 * @param cost as the gateway's own settings say
 */
export function questionOf(
  credential: Credential,
  original: OriginalRequestReading,
  cost: number | undefined | GatewayMistake,
): Asked {
  if (cost instanceof GatewayMistake) return cost;
  const apiKey = textOf(credential);
  if (original.kind === 'unclear') {
    return [{ apiKey, method: 'UNKNOWN', path: '', problem: original.problem }];
  }
  const { method, target } = original.request;
  return [{ apiKey, method, path: target, cost }];
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
