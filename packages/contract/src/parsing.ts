import type { z } from 'zod';

/* What a caller gave, and what is wrong with it. */

/** An instant that a caller gave; null and undefined stay. */
export const dateOf = <Absent extends null | undefined>(given: string | Absent): Date | Absent =>
  typeof given === 'string' ? new Date(given) : given;

/**
 * Parses as the schema does; an error also has the inputs, which {@link wordsOfIssue} needs. Zod takes ten
 * times as long where it reports inputs, so an invalid value is parsed twice.
 */
export function safeParse<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  const result = schema.safeParse(value);
  return result.success ? result : schema.safeParse(value, { reportInput: true });
}

/** Completes a sentence that begins with the field: `must be a string`. */
export function wordsOfIssue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.input === undefined) return 'is required';
  const isOfZod = issue.message.startsWith('Invalid input:');
  return isOfZod ? `must be ${article(NAMES[issue.expected] ?? issue.expected)}` : issue.message;
}

/** What zod names otherwise than JSON does. */
const NAMES: Partial<Record<string, string>> = { int: 'whole number' };

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
