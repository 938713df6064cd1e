import { digestsEqual } from '@ceiba/domain';
import type { LookupRow } from '@ceiba/schema';
import type { PreviousSecretUse } from '../usage/process-counts.ts';
import type { Dependencies } from './dependencies.ts';

export type Project = NonNullable<LookupRow['project']>;

/**
 * Accepts the current secret, and the previous one for its 24 hours.
 *
 * @returns the project; null for a wrong secret and for no project alike, so that a caller cannot
 *   find out which projects exist
 */
export function projectOfSecret(project: Project | null, presented: Buffer): Project | null {
  if (project === null) return null;
  const { secretDigest, previousSecretDigest } = project;
  const isCurrent = digestsEqual(secretDigest, presented);
  const isPrevious = previousSecretDigest !== null && digestsEqual(previousSecretDigest, presented);
  return isCurrent || isPrevious ? project : null;
}

/** Notes the use of a secret that was accepted, if it is the previous one. */
export function noteIfPrevious(
  usage: Pick<Dependencies['usage'], 'notePreviousSecret'>,
  project: Project | null,
  { projectId, secretDigest }: PreviousSecretUse,
): void {
  if (project?.previousSecretDigest?.equals(secretDigest)) {
    usage.notePreviousSecret({ projectId, secretDigest });
  }
}
