import { randomBytes } from 'node:crypto';
import { type MintedCredential, mintAccessToken } from '@ceiba/domain';
import {
  authenticateAccessToken,
  type CreateAccessTokenInput,
  createAccessToken,
  findUserById,
  type TokenUser,
  type VerbContext,
} from '@ceiba/schema';
import { type Bench, expectKind } from '../support.ts';

export interface MadeToken {
  minted: MintedCredential;
  tokenId: string;
  user: TokenUser;
}

/** An access token of a user: of all projects, which may write, unless another is given. */
export async function makeToken(
  { db, ctx }: Pick<Bench, 'db' | 'ctx'>,
  userId: string,
  input: Partial<CreateAccessTokenInput> = {},
): Promise<MadeToken> {
  const minted = mintAccessToken(randomBytes);
  const { sessionVersion } = (await findUserById(db, userId))!;
  const all = { name: 'CI', access: 'write', projectIds: null, days: 7 } as const;
  const created = await createAccessToken(ctx, {
    userId,
    sessionVersion,
    minted,
    ...all,
    ...input,
  });
  const { tokenId } = expectKind(created, 'created');
  const user = await authenticateAccessToken(db, minted.plaintext);
  if (user === null) throw new Error('a new token is not known');
  return { minted, tokenId, user };
}

/** The context of a request with the token, as of when it was admitted. */
export function byToken(
  ctx: VerbContext,
  { user: { userId, email, tokenId, name } }: Pick<MadeToken, 'user'>,
  requires?: VerbContext['requires'],
): VerbContext {
  const actor = { kind: 'user', userId, email, token: { tokenId, name } } as const;
  return { ...ctx, actor, ...(requires && { requires }) };
}
