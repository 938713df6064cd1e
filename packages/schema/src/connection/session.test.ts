import { describe, expect, it } from 'vitest';
import { bytea, missingSettings, SESSION_SETTINGS } from './session.ts';

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** As `bytea_output = 'escape'` writes them. */
const escaped = [...EVERY_BYTE]
  .map((byte) => {
    if (byte === 0x5c) return '\\\\';
    return byte >= 0x20 && byte < 0x7f
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`;
  })
  .join('');

describe('bytes', () => {
  it('are the same in both formats of bytea_output', () => {
    expect(bytea.parse(`\\x${EVERY_BYTE.toString('hex')}`)).toEqual(EVERY_BYTE);
    expect(bytea.parse(escaped)).toEqual(EVERY_BYTE);
  });

  it('that begin with a backslash and an x are not mistaken for hexadecimal digits', () => {
    expect(bytea.parse('\\\\x00')).toEqual(Buffer.from('\\x00'));
  });

  it('are sent in the format that every server reads', () => {
    expect(bytea.serialize(EVERY_BYTE)).toBe(`\\x${EVERY_BYTE.toString('hex')}`);
  });
});

describe('the settings that a session lacks', () => {
  const right = new Map(
    Object.entries(SESSION_SETTINGS).map(([name, value]) => [name, String(value)]),
  );

  it('are none where all are set, or an idle transaction has another limit', () => {
    expect(missingSettings(right)).toEqual([]);
    const other = new Map(right).set('idle_in_transaction_session_timeout', '60000');
    expect(missingSettings(other)).toEqual([]);
  });

  it('are those that differ', () => {
    const wrong = new Map(right)
      .set('default_transaction_isolation', 'serializable')
      .set('idle_in_transaction_session_timeout', '0');
    expect(missingSettings(wrong).map(({ name }) => name)).toEqual([
      'idle_in_transaction_session_timeout',
      'default_transaction_isolation',
    ]);
  });
});
