import { z } from 'zod';

/** A limit as a user types it; `10,000` is valid too. How large it may be is the verb's rule. */
export const limitSchema = z
  .string()
  .transform((text) => text.replace(/[\s,_']/g, ''))
  .pipe(z.string().regex(/^\d+$/, 'must be a whole number, 0 or more'))
  .transform(Number);

/** Null for an empty field. */
export const optionalLimitSchema = limitSchema.optional().transform((limit) => limit ?? null);
