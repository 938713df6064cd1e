import { describe, expect, it } from 'vitest';
import { costOf, GatewayMistake } from './cost.ts';

describe('the cost in the settings of a gateway', () => {
  it.each([
    [[], undefined],
    [['0'], 0],
    [['25'], 25],
    [['0025'], 25],
    [['1000000'], 1_000_000],
  ])('%j is %j', (values, cost) => {
    expect(costOf(values, 'its address')).toBe(cost);
  });

  it.each(['', ' 1', '1 ', '-1', '+1', '1.5', '1e3', '0x10', 'NaN', '１', '1000001', '99999999'])(
    '%j is a mistake that the log names',
    (value) => {
      const mistake = costOf([value], 'its address');
      expect(mistake).toBeInstanceOf(GatewayMistake);
      expect(String(mistake)).toContain('whole number from 0 to 1000000');
    },
  );

  it('is a mistake where it is given twice, also where both are the same', () => {
    expect(costOf(['1', '1'], 'its address')).toBeInstanceOf(GatewayMistake);
  });
});
