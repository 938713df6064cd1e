import { digestOf } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { TransportError } from './errors.ts';
import { requireSecret } from './project-secret.ts';

const [current, previous, other] = ['current', 'previous', 'other'].map(digestOf);

/** What the lookup returns; only the digests matter here. */
function project(previousSecretDigest: Buffer | null): Parameters<typeof requireSecret>[0] {
  return { secretDigest: current!, previousSecretDigest } as Parameters<typeof requireSecret>[0];
}

const answerTo = (held: Parameters<typeof requireSecret>[0], presented: Buffer) => {
  try {
    return requireSecret(held, presented);
  } catch (error) {
    return error;
  }
};

describe('the project secret', () => {
  it('is the current one, or the previous one while the lookup still returns it', () => {
    const rotated = project(previous!);
    expect(answerTo(rotated, current!)).toBe(rotated);
    expect(answerTo(rotated, previous!)).toBe(rotated);
    expect(answerTo(project(null), current!)).toMatchObject({ secretDigest: current });
  });

  it('gets one and the same refusal for a wrong secret and for no project', () => {
    const refusals = [
      answerTo(project(previous!), other!),
      answerTo(project(null), previous!),
      answerTo(project(null), Buffer.alloc(0)),
      answerTo(null, current!),
    ];
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(TransportError);
      expect(refusal).toMatchObject({
        code: 'unauthorized',
        message: 'The project secret is missing or not valid for this project.',
      });
    }
  });
});
