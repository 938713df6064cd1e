import { describe, expect, it } from 'vitest';
import { knownTimeZone } from './time-zone.ts';

describe('knownTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/St_Johns'])('returns %s', (name) => {
    expect(knownTimeZone(name)).toBe(name);
  });

  it('returns one name for all spellings', () => {
    expect(knownTimeZone('europe/BERLIN')).toBe('Europe/Berlin');
    expect(knownTimeZone('Etc/UTC')).toBe('UTC');
  });

  it.each(['', 'Berlin', 'Europe/Atlantis', '+01:00', '-03:30', ' UTC', `UTC${'/x'.repeat(40)}`])(
    'returns null for %j',
    (name) => {
      expect(knownTimeZone(name)).toBeNull();
    },
  );
});
