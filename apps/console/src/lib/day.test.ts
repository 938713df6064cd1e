import { expect, it } from 'vitest';
import { parseDay } from './day.ts';

it.each(['2000-01-01', '2028-02-29', '9998-12-31'])('takes %s', (text) => {
  expect(parseDay(text)?.toISOString()).toBe(`${text}T00:00:00.000Z`);
});

it.each(['', '2026-02-30', '2026-2-3', '0000-01-01', '0026-11-21', '1999-12-31', '9999-12-31'])(
  'refuses %j',
  (text) => {
    expect(parseDay(text)).toBeNull();
  },
);
