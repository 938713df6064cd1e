import { expect, it } from 'vitest';
import { timeOfDecision } from './decision-id.ts';

it('reads the time of a UUID of version 7, to the ms', () => {
  // The example of RFC 9562, appendix A.6.
  expect(timeOfDecision('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toEqual(
    new Date('2022-02-22T19:22:22.000Z'),
  );
  expect(timeOfDecision('017F22E2-79B1-7CC3-98C4-DC0C0C07398F')).toEqual(
    new Date('2022-02-22T19:22:22.001Z'),
  );
});

it('reads no time of another version, or of a year that Postgres would not parse', () => {
  expect(timeOfDecision('919108f7-52d1-4320-9bac-f847db4148a8')).toBeNull();
  expect(timeOfDecision('00000000-0000-0000-0000-000000000000')).toBeNull();
  expect(timeOfDecision('e677d21f-dbff-7000-8000-000000000000')).toEqual(
    new Date('9999-12-31T23:59:59.999Z'),
  );
  expect(timeOfDecision('e677d21f-dc00-7000-8000-000000000000')).toBeNull();
});
