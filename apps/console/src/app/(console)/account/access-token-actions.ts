'use server';

import { randomBytes } from 'node:crypto';
import { displayNameSchema } from '@ceiba/contract';
import {
  ACCESS_TOKEN_DAYS,
  ACCESS_TOKENS_MAX,
  mintAccessToken,
  TOKEN_ACCESSES,
  TOKEN_PROJECTS_MAX,
} from '@ceiba/domain';
import { createAccessToken, listAccessTokens, revokeAccessToken } from '@ceiba/schema';
import { z } from 'zod';
import { notify } from '#server/accounts/index.ts';
import { refuse, refuseField, userAction } from '#server/action.ts';
import { done, settle } from '#server/settle.ts';
import { env } from '../../../env.ts';
import { proveSelf, useCode } from './prove-self.ts';

/** Shown once: the token is in this answer, and pages never read it. */
export interface NewAccessToken {
  name: string;
  token: string;
  expiresAt: string;
  /** The address of this console. */
  server: string;
}

/** A chosen project is a field with its ID as the name. */
const input = z
  .object({
    name: displayNameSchema,
    access: z.enum(TOKEN_ACCESSES),
    reach: z.enum(['all', 'listed']),
    days: z.enum(ACCESS_TOKEN_DAYS.map(String)).transform(Number),
    currentPassword: z.string().max(1024).optional(),
    code: z.string().max(64).optional(),
  })
  .catchall(z.string());

const chosenIn = (fields: Readonly<Record<string, unknown>>) =>
  Object.keys(fields).filter((name) => z.guid().safeParse(name).success && fields[name] === 'yes');

/** Creates an access token. As a passkey, it stands for password and code later, so it takes both now. */
export const createToken = userAction({
  showsOnce: true,
  input,
  async run(context, { name, access, reach, days, ...fields }): Promise<NewAccessToken> {
    const { inDatabase, user } = context;
    const projectIds = reach === 'all' ? null : chosenIn(fields);
    if (projectIds?.length === 0) refuseField('reach', 'Choose at least one project.');
    if ((projectIds?.length ?? 0) > TOKEN_PROJECTS_MAX) refuseField('reach', TOO_MANY_PROJECTS);
    const proven = await proveSelf(context, fields.currentPassword);
    const tokens = await inDatabase(({ db }) => listAccessTokens(db, user.userId));
    if (tokens.filter(({ isExpired }) => !isExpired).length >= ACCESS_TOKENS_MAX) {
      refuse('limit_reached', TOO_MANY);
    }
    await useCode(context, fields.code);
    const minted = mintAccessToken(randomBytes);
    const scope = { access, projectIds, days };
    const result = await inDatabase((ctx) =>
      createAccessToken(ctx, { ...proven, name, ...scope, minted }),
    );
    const created = settle(result, { too_many: TOO_MANY, unknown_project: UNKNOWN_PROJECT });
    notify(user.email, 'access_token_created');
    const expiresAt = created.expiresAt.toISOString();
    return { name, token: minted.plaintext, expiresAt, server: env().publicOrigin };
  },
});

/** Revokes one of the user's access tokens. It needs no proof, because it can only close. */
export const revokeToken = userAction({
  input: z.object({ tokenId: z.guid() }),
  async run({ inDatabase, user }, { tokenId }): Promise<null> {
    const { userId } = user;
    const result = await inDatabase((ctx) => revokeAccessToken(ctx, { userId, tokenId }));
    return done(result, {
      not_found: 'This access token was revoked already.',
      still_in_use: STILL_IN_USE,
    });
  },
});

const STILL_IN_USE =
  'The token is ended: every further request with it is refused. A change that began before is still under way and may be made; remove the token from the list later.';
const TOO_MANY = `An account has at most ${ACCESS_TOKENS_MAX} access tokens. Revoke one first.`;
const TOO_MANY_PROJECTS = `Choose at most ${TOKEN_PROJECTS_MAX} projects, or all.`;
const UNKNOWN_PROJECT = {
  field: 'reach',
  text: 'You no longer have a role in one of these projects. Reload the page and choose again.',
};
