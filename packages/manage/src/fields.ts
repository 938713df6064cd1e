import {
  customerQuerySchema,
  expirySchema,
  PAGE_DEFAULT,
  PAGE_MAX,
  updateApiKeyRequestSchema,
} from '@ceiba/contract';
import { UUID } from '@ceiba/contract/sets';
import { z } from 'zod';

/* Fields that several operations have. */

const uuid = z.string().toLowerCase().regex(UUID, 'must be a UUID').meta({ format: 'uuid' });

export const projectId = uuid.describe('The project, by its id.');
export const apiKeyId = uuid.describe('The key, by its id: never the key itself.');
export const customer = z
  .string()
  .describe('The customer, by its id or, where none has it, its external id.');

export const instant = expirySchema.unwrap();
export const { rateLimitPerMinute, dailyQuota, monthlyQuota } = updateApiKeyRequestSchema.shape;
export const limits = { rateLimitPerMinute, dailyQuota, monthlyQuota };

/** In JSON a boolean, in an address 0 or 1. */
export const digit = z.union(
  [z.boolean(), z.enum(['0', '1']).transform((text) => text === '1')],
  'must be 0 or 1',
);
export const flag = digit.default(false);

const PAGE_SIZE = `must be a whole number from 1 to ${PAGE_MAX}`;
export const page = {
  limit: z.coerce
    .number(PAGE_SIZE)
    .int(PAGE_SIZE)
    .min(1, PAGE_SIZE)
    .max(PAGE_MAX, PAGE_SIZE)
    .default(PAGE_DEFAULT)
    .describe('How many.'),
  cursor: customerQuerySchema.shape.cursor.describe('The `nextCursor` of the previous page.'),
};
export const nextCursor = z.string().nullable().describe('Null on the last page.');

/** The page that a cursor asks for. */
export const pageOf = ({ limit, cursor }: { limit: number; cursor?: string | undefined }) => ({
  limit,
  cursor: cursor ?? null,
});

/** Every item of a list, page by page. */
export async function everyItem<Item>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ items: readonly Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await read(cursor);
    found.push(...items);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
