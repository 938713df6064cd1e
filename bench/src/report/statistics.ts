/** A median with its spread. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** @throws RangeError where there is no value, or one is not a number */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) {
    throw new RangeError(`no median of [${values.join(', ')}]`);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { median, least: at(0), most: at(sorted.length - 1) };
}

/** To so many significant digits, as a number: 1234.5 to three is 1230. */
export const significant = (value: number, digits = 3) => Number(value.toPrecision(digits));

/** Every number of a result to four significant digits, which is more than two runs agree on. */
export function rounded<T>(value: T): T {
  if (typeof value === 'number') {
    return (Number.isInteger(value) ? value : significant(value, 4)) as T;
  }
  if (Array.isArray(value)) return value.map(rounded) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, rounded(each)]),
  ) as T;
}
