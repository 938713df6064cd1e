import { type RecentUse, readRecentUse, type UsedItem } from '@ceiba/schema';
import { z } from 'zod';
import { projectRoute } from '#server/data-route.ts';
import { withDatabase } from '#server/database.ts';
import { KEYS_ASKED_MAX } from './recent-use.ts';

/** The fields of `UsedFields`. */
const query = z.union([
  z.strictObject({
    keys: z
      .string()
      .transform((ids) => ids.split(','))
      .pipe(z.array(z.guid()).max(KEYS_ASKED_MAX)),
  }),
  z.strictObject({ customer: z.guid() }),
  z.strictObject({ policy: z.guid() }),
  z.strictObject({}),
]);

/**
 * Who still uses what a dialog is about to end. A route, not an action: the browser sends one action
 * at a time, so the one that the dialog confirms would wait for a slow answer.
 */
export const GET = projectRoute(async ({ projectId }, fields) => {
  const asked = query.safeParse(fields);
  if (!asked.success) return new Response(null, { status: 400 });
  const of = itemOf(asked.data);
  const uses: RecentUse[] = await withDatabase((db) => readRecentUse(db, { projectId, of }));
  return Response.json(uses, { headers: { 'cache-control': 'no-store' } });
});

function itemOf(asked: z.output<typeof query>): UsedItem {
  if ('keys' in asked) return { kind: 'api_keys', ids: asked.keys };
  if ('customer' in asked) return { kind: 'customer', id: asked.customer };
  if ('policy' in asked) return { kind: 'policy', id: asked.policy };
  return { kind: 'project' };
}
