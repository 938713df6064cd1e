import { describe, expect, it, vi } from 'vitest';
import { validate } from './validate.mjs';

const KEYS = { good: 'good', limited: 'limited', revoked: 'revoked' };
const contender = (freshRevocation: string) => ({
  name: 'A contender',
  kind: 'contender',
  guarantees: { freshRevocation },
});

/** A server that answers correctly, except where a test says otherwise. */
function serverWith(wrong: Partial<Record<'good' | 'unknown' | 'revoked', boolean>>, limit = 3) {
  let calls = 0;
  let isRevoked = false;
  const ask = async (apiKey: string) => {
    if (apiKey === KEYS.good) return wrong.good ?? true;
    if (apiKey === KEYS.revoked) return !isRevoked || (wrong.revoked ?? false);
    if (apiKey !== KEYS.limited) return wrong.unknown ?? false;
    calls += 1;
    return calls <= limit;
  };
  const revoke = vi.fn(async () => {
    isRevoked = true;
  });
  return { ask, keys: { ...KEYS, revoke } };
}

describe('a contender is measured', () => {
  it('if it answers correctly', async () => {
    const { ask, keys } = serverWith({});
    await validate(contender('yes'), ask, keys);
    expect(keys.revoke).toHaveBeenCalledOnce();
  });

  it('with a late revocation only if it claims no fresh one', async () => {
    const { ask, keys } = serverWith({ revoked: true });
    await validate(contender('no: late'), ask, keys);
  });
});

describe('a contender is not measured if it', () => {
  it.each([
    ['denies a good key', serverWith({ good: false })],
    ['allows an unknown key', serverWith({ unknown: true })],
    ['denies call 3 of a limit of 3', serverWith({}, 2)],
    ['allows call 4 of a limit of 3', serverWith({}, 4)],
    ['allows a revoked key', serverWith({ revoked: true })],
  ])('%s', async (problem, { ask, keys }) => {
    await expect(validate(contender('yes'), ask, keys)).rejects.toThrow(`A contender ${problem}`);
  });

  it('denies a revoked key at once although it claims a cache', async () => {
    const { ask, keys } = serverWith({});
    await expect(validate(contender('no: late'), ask, keys)).rejects.toThrow(
      'denies a revoked key',
    );
  });
});
