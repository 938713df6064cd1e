import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('csvLine', () => {
  it('quotes texts and leaves numbers as they are', () => {
    expect(csvLine(['Mobile app', 12, null, -3])).toBe('"Mobile app",12,,-3\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['x;=1+1', '"x;=1+1"'],
    ['', '""'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
  ])('quotes %j', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1'])(
    'lets no spreadsheet run %j',
    (text) => {
      expect(csvLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  it('escapes a formula that also holds quotes and commas', () => {
    expect(csvLine(['=HYPERLINK("http://evil.example","x")'])).toBe(
      `"'=HYPERLINK(""http://evil.example"",""x"")"\r\n`,
    );
  });
});
