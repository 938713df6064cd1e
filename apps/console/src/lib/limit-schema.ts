import { PLAN_LIMIT_MAX } from '@ceiba/domain';
import { z } from 'zod';
import { formatCount } from './format.ts';

/** A limit as a user types it; `10,000` is valid too. */
export const limitSchema = z
  .string()
  .transform((text) => text.replace(/[\s,_']/g, ''))
  .pipe(z.string().regex(/^\d+$/, 'must be a whole number, 0 or more'))
  .transform(Number)
  .pipe(z.number().max(PLAN_LIMIT_MAX, `must be at most ${formatCount(PLAN_LIMIT_MAX)}`));

/** Null for an empty field. */
export const optionalLimitSchema = limitSchema.optional().transform((limit) => limit ?? null);
