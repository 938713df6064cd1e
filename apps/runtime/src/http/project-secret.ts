import { digestsEqual } from '@ceiba/domain';
import type { LookupRow } from '@ceiba/schema';
import { TransportError } from './errors.ts';

/**
 * Accepts the current secret and the single previous one that is still in its 24 hours. One answer
 * for everything else, so that a caller cannot tell which projects exist.
 *
 * @throws TransportError `unauthorized`
 */
export function requireSecret(
  project: LookupRow['project'],
  presented: Buffer,
): NonNullable<LookupRow['project']> {
  if (project === null) throw unauthorized();
  const { secretDigest, previousSecretDigest } = project;
  const isCurrent = digestsEqual(secretDigest, presented);
  const isPrevious = previousSecretDigest !== null && digestsEqual(previousSecretDigest, presented);
  if (!isCurrent && !isPrevious) throw unauthorized();
  return project;
}

export const unauthorized = () =>
  new TransportError(
    'unauthorized',
    'The project secret is missing or not valid for this project.',
  );
