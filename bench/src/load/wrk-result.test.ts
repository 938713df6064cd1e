import { expect, it } from 'vitest';
import { parseWrkResult } from './wrk-result.ts';

const RESULT = '{"requests":10,"seconds":1.5,"p50Ms":1.2,"p99Ms":3.4,"unexpected":0}';

it('the result of wrk is found below what wrk itself prints', () => {
  const output = `Running 1s test\n  10 requests in 1.5s\nRESULT ${RESULT}\n`;
  expect(parseWrkResult(output)).toEqual(JSON.parse(RESULT));
});

it.each([
  'Running 1s test\n',
  'RESULT {"requests":10}\n',
  `RESULT ${RESULT.replace('3.4', '"nan"')}\n`,
])('%j is refused', (output) => {
  expect(() => parseWrkResult(output)).toThrow(/wrk (printed no result|reported no)/);
});
