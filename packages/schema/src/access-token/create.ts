import {
  ACCESS_TOKEN_DAYS_MAX,
  ACCESS_TOKENS_MAX,
  type MintedCredential,
  TOKEN_ACCESSES,
  TOKEN_PROJECTS_MAX,
  type TokenAccess,
} from '@ceiba/domain';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Executor } from '../connection/database.ts';
import { refuseToken, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { isOf } from '../project/of-user.ts';
import { accessTokens, projects } from '../tables.ts';
import { changingAccount } from '../user/change.ts';
import type { ProvenUser } from '../user/lock.ts';

export interface CreateAccessTokenInput extends ProvenUser {
  name: string;
  access: TokenAccess;
  /** The only projects that it reaches; null for all that its user has a role in, now and later. */
  projectIds: readonly string[] | null;
  /** From 1 to `ACCESS_TOKEN_DAYS_MAX`. */
  days: number;
  /** Only its digest and its prefix are stored. */
  minted: MintedCredential;
}

export type CreateAccessTokenResult =
  | { kind: 'created'; tokenId: string; name: string; expiresAt: Date }
  | { kind: 'too_many' | 'unknown_project' | 'outdated' };

const DAYS = `must be from 1 to ${ACCESS_TOKEN_DAYS_MAX} days`;
const OWN_RULES = {
  access: z.enum(TOKEN_ACCESSES, `must be ${TOKEN_ACCESSES.join(' or ')}`),
  days: z.int(DAYS).min(1, DAYS).max(ACCESS_TOKEN_DAYS_MAX, DAYS),
  projectIds: z
    .array(z.guid('must be projects'))
    .min(1, 'must have at least one project')
    .max(TOKEN_PROJECTS_MAX, `must be at most ${TOKEN_PROJECTS_MAX} projects`)
    .transform((given) => [...new Set(given.map((projectId) => projectId.toLowerCase()))])
    .nullable(),
};

/**
 * Creates an access token for a user who has proven to be at the keyboard. A token itself cannot.
 *
 * @throws InvalidInputError, TokenRefusedError
 */
export async function createAccessToken(
  ctx: VerbContext,
  given: CreateAccessTokenInput,
): Promise<CreateAccessTokenResult> {
  refuseToken(ctx);
  const { name, access, projectIds, days, minted, ...user } = checked(given, ['name'], OWN_RULES);
  const { userId } = user;
  return changingAccount<CreateAccessTokenResult>(ctx, user, async (tx, audit) => {
    const live = and(eq(accessTokens.userId, userId), sql`${accessTokens.expiresAt} > now()`);
    if ((await tx.$count(accessTokens, live)) >= ACCESS_TOKENS_MAX) return { kind: 'too_many' };
    const names = projectIds && (await namesOfProjects(tx, userId, projectIds));
    if (names?.length !== projectIds?.length) return { kind: 'unknown_project' };
    const [created] = await tx
      .insert(accessTokens)
      .values({
        userId,
        name,
        access,
        projectIds: projectIds && [...projectIds],
        tokenPrefix: minted.prefix,
        tokenDigest: minted.digest,
        expiresAt: sql`now() + make_interval(days => ${days})`,
      })
      .returning({ tokenId: accessTokens.id, expiresAt: accessTokens.expiresAt });
    if (created === undefined) throw new Error('an insert returned no row');
    const expiresAt = created.expiresAt.toISOString();
    const after = { token: name, tokenPrefix: minted.prefix, access, projects: names, expiresAt };
    await audit('user.create_access_token', { after });
    return { kind: 'created', name, ...created };
  });
}

/** The names of those projects in which the user has a role. */
async function namesOfProjects(
  tx: Executor,
  userId: string,
  projectIds: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .select({ name: projects.name })
    .from(projects)
    .where(and(inArray(projects.id, [...projectIds]), isOf(userId, sql`${projects.id}`)))
    .orderBy(projects.name);
  return rows.map(({ name }) => name);
}
