import { expirySchema } from '@ceiba/contract';
import { z } from 'zod';

/**
 * What a user types, as a verb takes it. Nothing is refused here: the verb checks the whole input, so
 * that a form shows all its errors at once. What is no number or time becomes one that a verb refuses.
 */

export const typedText = z.string().default('');

/** `10,000` is a number too. */
const numberOf = (text: string) => {
  const digits = text.replace(/[\s,_']/g, '');
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
};

export const typedLimit = typedText.transform(numberOf);

/** Null for an empty field. */
export const typedLimitOrNone = typedText.transform((text) =>
  text === '' ? null : numberOf(text),
);

export const typedInstant = typedText.transform(
  (text) => new Date(expirySchema.safeParse(text).data ?? Number.NaN),
);
