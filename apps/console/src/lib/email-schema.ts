import { z } from 'zod';

/** The e-mail address of an account. */
export const emailSchema = z.string().trim().max(254).pipe(z.email('must be an e-mail address'));
