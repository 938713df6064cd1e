import { expect, it } from 'vitest';
import { instantOf, LOCAL_TIME_BOUNDS, localText } from './local-time.ts';

it.each(['2027-01-31T12:00', ...Object.values(LOCAL_TIME_BOUNDS)])('gives %s back', (typed) => {
  const instant = instantOf(typed);
  expect(instant && localText(instant)).toBe(typed);
});

it.each(['', 'tomorrow', '2027-13-01T00:00'])('takes %j for no instant', (typed) => {
  expect(instantOf(typed)).toBeNull();
});

it('leaves a year of two digits out', () => {
  expect('0026-11-21T10:00' < LOCAL_TIME_BOUNDS.min).toBe(true);
});
