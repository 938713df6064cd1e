import { describe, expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const SECRET = 'a secret of this test alone, 32 characters or more';
const plain = Buffer.from('the secret of an app');

describe('a sealed text', () => {
  it('opens with the same secret for the same subject alone', () => {
    const sealed = seal(SECRET, 'ana', plain);
    expect(unseal(SECRET, 'ana', sealed)).toEqual(plain);
    expect(unseal(SECRET, 'ben', sealed)).toBeNull();
    expect(unseal(`${SECRET}x`, 'ana', sealed)).toBeNull();
  });

  it('holds nothing of the text, and is another one each time', () => {
    const [first, second] = [seal(SECRET, 'ana', plain), seal(SECRET, 'ana', plain)];
    expect(first.includes(plain.subarray(0, 4))).toBe(false);
    expect(first.subarray(1).equals(second.subarray(1))).toBe(false);
    expect(first.subarray(29).equals(second.subarray(29))).toBe(false);
  });

  it('does not open if any byte was altered, or if it was cut', () => {
    const sealed = seal(SECRET, 'ana', plain);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
      expect(unseal(SECRET, 'ana', altered)).toBeNull();
      expect(unseal(SECRET, 'ana', sealed.subarray(0, index))).toBeNull();
    }
  });
});
