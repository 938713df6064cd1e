import { digestOf } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { projectOfSecret } from './project-secret.ts';

const [current, previous, other] = ['current', 'previous', 'other'].map(digestOf);

/** What the lookup returns; only the digests matter here. */
const project = (previousSecretDigest: Buffer | null) =>
  ({ secretDigest: current!, previousSecretDigest }) as Parameters<typeof projectOfSecret>[0];

describe('the project secret', () => {
  it('is the current one, or the previous one while the lookup still returns it', () => {
    const rotated = project(previous!);
    expect(projectOfSecret(rotated, current!)).toBe(rotated);
    expect(projectOfSecret(rotated, previous!)).toBe(rotated);
    expect(projectOfSecret(project(null), current!)).toMatchObject({ secretDigest: current });
  });

  it('is rejected in the same way for a wrong secret and for an unknown project', () => {
    expect(projectOfSecret(project(previous!), other!)).toBeNull();
    expect(projectOfSecret(project(null), previous!)).toBeNull();
    expect(projectOfSecret(project(null), Buffer.alloc(0))).toBeNull();
    expect(projectOfSecret(null, current!)).toBeNull();
  });
});
