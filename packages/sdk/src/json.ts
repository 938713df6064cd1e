/*
 * Reads values of a JSON body. Each returns undefined for a value of another kind.
 */

/** The fields of an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number from 0 up. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** One of some values, and nothing else that resembles it. */
export function oneOf<const T>(value: unknown, ...values: readonly T[]): T | undefined {
  return values.find((one) => one === value);
}

/** Null, or what the parser reads. */
export function nullable<T>(
  value: unknown,
  parse: (value: unknown) => T | undefined,
): T | null | undefined {
  return value === null ? null : parse(value);
}

/** A list of what the parser reads; one invalid entry invalidates it. */
export function list<T>(value: unknown, parse: (value: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const parsed: T[] = [];
  for (const entry of value) {
    const result = parse(entry);
    if (result === undefined) return undefined;
    parsed.push(result);
  }
  return parsed;
}
