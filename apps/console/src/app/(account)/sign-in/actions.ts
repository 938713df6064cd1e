'use server';

import { chargePasskeySignIn, startChallenge } from '@ceiba/schema';
import { z } from 'zod';
import { issueChallengeToken, passkeyRequest } from '#server/accounts/index.ts';
import { publicAction } from '#server/action.ts';
import { settle } from '#server/settle.ts';

/** Returns what the browser needs to ask for a passkey, and binds the challenge to the browser. */
export const beginPasskeySignIn = publicAction({
  input: z.object({}),
  async run({ inDatabase }): Promise<Awaited<ReturnType<typeof passkeyRequest>>> {
    settle(await inDatabase(chargePasskeySignIn), {});
    const request = await passkeyRequest();
    const tokenDigest = await issueChallengeToken('sign_in_passkey');
    const { challenge } = request;
    await inDatabase((ctx) =>
      startChallenge(ctx, { purpose: 'sign_in_passkey', tokenDigest, user: null, challenge }),
    );
    return request;
  },
});
