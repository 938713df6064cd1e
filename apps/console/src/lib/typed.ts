import { isDeepStrictEqual } from 'node:util';
import { expirySchema } from '@ceiba/contract';
import { z } from 'zod';
import { labelsIn } from './labels.ts';

/**
 * What a user types, as a verb takes it. Nothing is refused here: the verb checks the whole input, so
 * that a form shows all its errors at once. What is no number or time becomes one that a verb refuses.
 */

export const typedText = z.string().default('');

/** `10,000` is a number too, `1,5` and `0,500` are none: a comma may be a decimal point. */
const numberOf = (text: string) =>
  /^(\d+|[1-9]\d{0,2}([\s,_'’]\d{3})+)$/.test(text.trim())
    ? Number(text.replace(/\D/g, ''))
    : Number.NaN;

export const typedLimit = typedText.transform(numberOf);

/** Null for an empty field. */
export const typedLimitOrNone = typedText.transform((text) =>
  text === '' ? null : numberOf(text),
);

/** Labels with spaces or commas between them. */
export const typedLabels = typedText.transform(labelsIn);

/** Null for an empty field. */
export const typedLabelsOrNone = typedLabels.transform((labels) =>
  labels.length === 0 ? null : labels,
);

/** What opens every policy, or only those with the labels: two fields, so that an empty list opens none. */
export const typedScopes = { restricts: z.enum(['no', 'yes']).default('no'), scopes: typedLabels };
export const scopesOf = ({ restricts, scopes }: { restricts: 'no' | 'yes'; scopes: string[] }) =>
  restricts === 'no' ? null : scopes;

export const typedInstant = typedText.transform(
  (text) => new Date(expirySchema.safeParse(text).data ?? Number.NaN),
);

/** A JSON object; empty for an empty field. */
export const typedMetadata = typedText.transform((text, issues) => {
  const parsed = jsonOf(text || '{}');
  // As it is: zod leaves out a "__proto__", which the verb refuses by its name.
  if (z.record(z.string(), z.unknown()).safeParse(parsed).success) {
    return parsed as Record<string, unknown>;
  }
  issues.addIssue('Must be a JSON object, such as {"crm": "42"}.');
  return z.NEVER;
});

/** What the user saw in the fields when the form was opened, as JSON; without it, nothing. */
export const seen = typedText.transform((text) =>
  z.record(z.string(), z.unknown()).catch({}).parse(jsonOf(text)),
);

/**
 * The fields of a form that differ from what the user saw. The others are not saved, so that what was
 * changed elsewhere after the form was opened stays.
 */
export const changedFields = <Fields extends object>(
  given: Fields,
  seen: Record<string, unknown>,
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !isAsSeen(value, seen[name])),
  ) as Partial<Fields>;

function isAsSeen(given: unknown, seen: unknown): boolean {
  if (given instanceof Date) return given.getTime() === Date.parse(String(seen));
  // Browsers send line ends as CR LF.
  return isDeepStrictEqual(
    typeof given === 'string' ? given.replaceAll('\r\n', '\n') : given,
    seen,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
