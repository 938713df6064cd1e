/*
 * Reads values of a JSON body. A reader returns undefined for a value of another kind.
 */

export type Read<T> = (value: unknown) => T | undefined;

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

/** A string that may be empty. */
export function anyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A whole number from 0 up. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** One of some values, and nothing else that resembles it. */
export function oneOf<const T>(...values: readonly T[]): Read<T> {
  return (value) => values.find((one) => one === value);
}

/** Null, or what the reader reads. */
export function nullable<T>(read: Read<T>): Read<T | null> {
  return (value) => (value === null ? null : read(value));
}

/** What the first of two readers that accepts it reads. */
export function either<One, Other>(one: Read<One>, other: Read<Other>): Read<One | Other> {
  return (value) => one(value) ?? other(value);
}

/** A list of what the reader reads; one invalid entry invalidates it. */
export function list<T>(read: Read<T>): Read<T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const parsed: T[] = [];
    for (const entry of value) {
      const result = read(entry);
      if (result === undefined) return undefined;
      parsed.push(result);
    }
    return parsed;
  };
}

type Required<T> = { [K in keyof T as undefined extends T[K] ? never : K]-?: Read<T[K]> };
type Optional<T> = {
  [K in keyof T as undefined extends T[K] ? K : never]?: Read<Exclude<T[K], undefined>>;
};

/**
 * An object, read field by field. Other fields are dropped.
 *
 * @param optional an object without one is valid, and one with a wrong one is not
 * @param dispensable left out where it is wrong
 */
export function shape<T extends object>(
  required: Required<T>,
  optional: Optional<T> = {},
  dispensable: Optional<T> = {},
): Read<T> {
  const lists: readonly object[] = [required, optional, dispensable];
  const fields = lists.flatMap((readers, kind) =>
    Object.entries<Read<unknown>>({ ...readers }).map(([name, read]) => ({ name, read, kind })),
  );
  return (body) => {
    const given = fieldsOf(body);
    if (given === undefined) return undefined;
    const parsed: Record<string, unknown> = {};
    for (const { name, read, kind } of fields) {
      const value = read(given[name]);
      if (value !== undefined) parsed[name] = value;
      else if (kind === 0 || (kind === 1 && given[name] !== undefined)) return undefined;
    }
    // Each required field has been read, and no other one than those of the readers.
    return parsed as T;
  };
}
