import { describe, expect, it } from 'vitest';
import { hasPatroni } from '../support/patroni.ts';
import { provePatroni } from './proofs/patroni.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';

describe.skipIf(!hasPatroni)('across failovers that Patroni makes', () => {
  it('admits no key that was revoked before, during or after one', async () => {
    const figures = await prove('patroni', (random) => provePatroni(size.failovers, random));
    expect(figures.failovers).toBe(size.failovers);
  });
});
