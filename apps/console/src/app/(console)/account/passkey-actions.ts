'use server';

import { displayNameSchema } from '@ceiba/contract';
import { PASSKEYS_MAX } from '@ceiba/domain';
import {
  addPasskey,
  listCredentialIds,
  listPasskeys,
  removePasskey,
  renamePasskey,
  startChallenge,
  takeChallenge,
} from '@ceiba/schema';
import { z } from 'zod';
import {
  challengeTokenDigest,
  dropChallengeToken,
  issueChallengeToken,
  notify,
  passkeyCreation,
  verifyCreatedPasskey,
} from '#server/accounts/index.ts';
import { refuse, userAction } from '#server/action.ts';
import { done, settle } from '#server/settle.ts';
import { typedText } from '../../../lib/typed.ts';
import { proveSelf, useCode } from './prove-self.ts';

const currentPassword = z.string().max(1024).optional();
const purpose = 'add_passkey';

/**
 * Returns what the browser needs to create a passkey, and binds the challenge to the browser. A passkey
 * replaces password and code, so it takes both.
 */
export const beginPasskey = userAction({
  setsUpSecondFactor: true,
  readsOnly: true,
  input: z.object({
    name: displayNameSchema,
    currentPassword,
    code: z.string().max(64).optional(),
  }),
  async run(context, input): Promise<Awaited<ReturnType<typeof passkeyCreation>>> {
    const { inDatabase, user } = context;
    const proven = await proveSelf(context, input.currentPassword);
    const known = await inDatabase(({ db }) => listCredentialIds(db, user.userId));
    if (known.length >= PASSKEYS_MAX) refuse('limit_reached', TOO_MANY);
    await useCode(context, input.code);
    const creation = await passkeyCreation(user, known);
    const tokenDigest = await issueChallengeToken(purpose);
    const { challenge } = creation;
    await inDatabase((ctx) =>
      startChallenge(ctx, { purpose, tokenDigest, user: proven, challenge }),
    );
    return creation;
  },
});

/** Adds the passkey that the browser has created. */
export const finishPasskey = userAction({
  setsUpSecondFactor: true,
  input: z.object({ name: typedText, answer: z.string().max(65_536) }),
  async run({ inDatabase, user }, { name, answer }): Promise<null> {
    const { userId } = user;
    const tokenDigest = await challengeTokenDigest(purpose);
    const taken =
      tokenDigest && (await inDatabase(({ db }) => takeChallenge(db, { purpose, tokenDigest })));
    await dropChallengeToken(purpose);
    if (
      !taken ||
      taken.userId !== userId ||
      taken.challenge === null ||
      taken.sessionVersion === null
    ) {
      refuse('conflict', 'That took too long. Start again.');
    }
    const { challenge, sessionVersion } = taken;
    const created = await verifyCreatedPasskey(answer, challenge);
    if (created === null) refuse('invalid', NOT_CREATED);
    const result = await inDatabase((ctx) =>
      addPasskey(ctx, { userId, sessionVersion, name, ...created }),
    );
    settle(result, { known: 'This passkey is registered already.', too_many: TOO_MANY });
    notify(user.email, 'passkey_added');
    return null;
  },
});

/** Renames one of the user's passkeys. */
export const renameOwnPasskey = userAction({
  input: z.object({ passkeyId: z.guid(), name: typedText }),
  async run({ inDatabase, user }, { passkeyId, name }): Promise<null> {
    const { userId } = user;
    const result = await inDatabase((ctx) => renamePasskey(ctx, { userId, passkeyId, name }));
    return done(result, { not_found: GONE });
  },
});

/** Removes one of the user's passkeys. */
export const removeOwnPasskey = userAction({
  input: z.object({ passkeyId: z.guid(), currentPassword }),
  async run(context, { passkeyId, ...input }): Promise<null> {
    const { inDatabase, user } = context;
    const own = await inDatabase(({ db }) => listPasskeys(db, user.userId));
    if (!own.some((passkey) => passkey.passkeyId === passkeyId)) refuse('not_found', GONE);
    const proven = await proveSelf(context, input.currentPassword);
    const result = await inDatabase((ctx) => removePasskey(ctx, { ...proven, passkeyId }));
    settle(result, { not_found: GONE });
    notify(user.email, 'passkey_removed');
    return null;
  },
});

const GONE = 'This passkey was removed already.';
const TOO_MANY = `An account has at most ${PASSKEYS_MAX} passkeys. Remove one first.`;
const NOT_CREATED =
  'The browser created no passkey that this console can check. Open the console at its own address and try again.';
