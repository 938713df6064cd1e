import { describe, expect, it, vi } from 'vitest';
import { csvLine } from './csv.ts';

vi.mock('server-only', () => ({}));
vi.mock('./database.ts', () => ({}));

describe('csvLine', () => {
  it('quotes text and leaves numbers as they are', () => {
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
    'escapes %j, which a spreadsheet would run',
    (text) => {
      expect(csvLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  it('escapes a formula that contains quotes and commas', () => {
    expect(csvLine(['=HYPERLINK("http://evil.example","x")'])).toBe(
      `"'=HYPERLINK(""http://evil.example"",""x"")"\r\n`,
    );
  });
});
