import { describe, expect, it } from 'vitest';
import { hasPatroni } from '../support/patroni.ts';
import { provePatroni } from './proofs/patroni.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';

describe.skipIf(!hasPatroni)('across failovers by Patroni', () => {
  it('a Runtime allows no key that was revoked before, during or after a failover', async () => {
    const figures = await prove('patroni', (random) => provePatroni(size.failovers, random));
    expect(figures.failovers).toBe(size.failovers);
  });
});
