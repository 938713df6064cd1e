import { desc, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { hasText } from '../page.ts';
import { isOf } from '../project/of-user.ts';
import { plans } from '../tables.ts';
import { type Plan, planColumns, SMALLEST_FIRST } from './list.ts';

export interface SearchPlansInput {
  /** Whose projects' plans come first. */
  userId: string;
  /** Part of the name, in either case; all plans without it. */
  text?: string;
  /** The most plans. */
  limit: number;
}

export interface FoundPlan extends Plan {
  /** Whether a project is on it that the user owns or is a member of. */
  isOwn: boolean;
}

/** Plans to choose from: first those of the user's own projects, each part with the smallest quota first. */
export async function searchPlans(
  db: { orm: Executor },
  { userId, text, limit }: SearchPlansInput,
): Promise<FoundPlan[]> {
  const isOwn: SQL<boolean> = sql`${plans.id} in (
    select s.plan_id from subscriptions s where ${isOf(userId, sql`s.project_id`)})`;
  return db.orm
    .select({ ...planColumns, isOwn })
    .from(plans)
    .where(hasText(plans.name, text))
    .orderBy(desc(isOwn), ...SMALLEST_FIRST)
    .limit(limit);
}
